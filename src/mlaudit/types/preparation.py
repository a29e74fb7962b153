"""How a table becomes a dataset."""

from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import quote, real, several, text, whole

Targets = Literal["any", "two classes", "classes", "numbers"]
TARGETS = ("any", "two classes", "classes", "numbers")
ANY_TEXT, SEEN = "any", "seen"
TYPED = (ANY_TEXT, SEEN)
_DROP = "drop"
_WORDS = {
    "categorical": ("one-hot", "drop", "paper"),
    "scale": ("unit", "none"),
    "targets": TARGETS,
    "typed": ("", *TYPED),
}


@dataclass(frozen=True)
class Preparation:
    """How a table becomes a dataset of numbers. The data card of the dataset states what each step did.

    The steps, in this order:

    1. Columns are chosen. Without `columns`, identifiers and dates are dropped: text that differs in 95 % of the rows
       or more, numbered rows, a column named like an identifier that differs in half of the rows, and a column in
       which every value is a date. Published datasets keep all their columns.
    2. Rows with a missing value (empty, ?, NA, nan, null) in one of these columns are dropped, or the constant
       `missing` is put in place of the value. A missing category becomes a category of its own. Rows without a label
       are dropped.
    3. Labels are chosen. Classes become 0, 1, 2, … in sorted order. A label column of at most 20 different values,
       with two rows for each on average, holds classes; another column of numbers holds numbers to be predicted.
    4. At most `rows` rows are kept, drawn with `seed`, in their published order. With a `unit`, whole units are
       drawn: a unit whose rows would be too many is passed over.
    5. A column is numeric if all its values are numbers and it is not listed as a code. True and false, yes and no
       are 1 and 0. Other columns are one-hot encoded, or dropped; also dropped if there are more than 100 categories.
       Columns that are constant are dropped.
    6. Every column, and a label that is a number, is scaled to [0, 1], or left in its own units.

    Every step is carried out once, on D, before the attack. No step uses D′.

    With `typed`, the columns stay as they are: text, whole numbers, numbers, True and False, and missing values. No
    column is recognised as an identifier or a date, nothing is encoded or scaled, and there are labels only if a
    label column is named. A column of numbers may hold those between the least and the greatest of the rows that are
    kept.

    Args:
        rows: The most rows that are kept.
        categorical: Whether columns of text are "one-hot" encoded, or dropped ("drop"). "paper" drops those of
            published datasets, as the ML-Audit paper did for forests, and encodes those of files.
        classes: The labels to keep, two or more. Default: all that the learner takes.
        seed: Seed of the draw of rows.
        scale: Whether columns are scaled to [0, 1] ("unit"), or left in their own units ("none").
        columns: The columns to keep besides the label. Default: all but identifiers and dates.
        drop: Columns to drop.
        missing: "drop", or a number to put in place of missing values.
        targets: Which labels are wanted: "two classes" (the most frequent), "classes", "numbers", or "any" of them.
        unit: The column that names the owner of each row, if one neighbour step is all rows of one owner. It is no
            feature.
        typed: "" for numbers. Otherwise the columns stay as they are, and a column of text may hold "any" text, or
            only the texts "seen" in the rows.

    Raises:
        InvalidInput: If an argument has a wrong value.

    Example:
        >>> from mlaudit.datasets import Preparation, load
        >>> load("iris", preparation=Preparation(rows=20, classes=("0", "2")))
        Dataset(20 rows × 4 columns, labelled, 'iris')
    """

    rows: int = 1000
    categorical: Literal["one-hot", "drop", "paper"] = "one-hot"
    classes: tuple[str, ...] | None = None
    seed: int = 0
    scale: Literal["unit", "none"] = "unit"
    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    missing: str | float = _DROP
    targets: Targets = "any"
    unit: str | None = field(default=None, metadata={"later": True})
    typed: str = ""

    def __post_init__(self) -> None:
        whole("rows", self.rows, 2)
        whole("seed", self.seed, 0)
        for name, words in _WORDS.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in words:
                *others, last = (repr(word) for word in words if word)
                listed = f"{', '.join(others)} or {last}"
                raise InvalidInput(f"{name} must be {listed}, got {quote(value)}")
        if self.classes is not None:
            self._set("classes", _names("classes", self.classes, "labels"))
            if len(set(self.classes)) < 2 or len(set(self.classes)) < len(self.classes):
                said = quote(",".join(self.classes))
                raise InvalidInput(f"classes must be two different labels or more, as in no,yes, got {said}")
        if self.columns is not None:
            self._set("columns", _names("columns", self.columns, "names"))
            if not self.columns:
                raise InvalidInput("columns must name a column, got none")
        self._set("drop", _names("drop", self.drop, "names"))
        self._set("missing", _read_missing(self.missing))
        if self.unit is not None:
            text("unit", self.unit)
        if self.typed:
            self._refuse_encodings()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _refuse_encodings(self) -> None:
        usual = {"missing": (_DROP,), "scale": ("unit",), "categorical": ("one-hot", "paper"), "classes": (None,)}
        given = [name for name, values in usual.items() if getattr(self, name) not in values]
        if given:
            raise InvalidInput(
                f"{given[0]} encodes columns as numbers, got a typed table, whose columns stay as they are; leave "
                f"{given[0]} or typed out"
            )

    @property
    def constant(self) -> float | None:
        """The number in place of missing values; None if their rows are dropped."""
        return None if isinstance(self.missing, str) else self.missing


def _names(name: str, value: object, wanted: str) -> tuple[str, ...]:
    return tuple(text(f"an entry of {name}", one) for one in several(name, value, wanted))


def _read_missing(value: object) -> str | float:
    """The word "drop", or a number, also as text."""
    if value == _DROP:
        return _DROP
    try:
        return real("missing", float(value) if isinstance(value, str) else value, -inf, inf)
    except (ValueError, InvalidInput):
        raise InvalidInput(f"missing must be 'drop' or a number, as in 0, got {quote(value)}") from None
