"""The data card: everything that was done to a table before an audit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import choice, instance, real, several, text, whole
from mlaudit.types.numbers import count

AS_IT_IS: Literal["as it is"] = "as it is"
Encoding = Literal["number", "boolean", "date", "one-hot", "as it is", ""]
ENCODINGS = ("number", "boolean", "date", "one-hot", AS_IT_IS, "")


@dataclass(frozen=True)
class ColumnCard:
    """One column of a table: how it became numbers, or why it was dropped.

    Args:
        name: The column's name.
        encoding: "number", "boolean" (0 or 1), "date" (days since 1970-01-01), "one-hot", or "as it is" in a typed
            table; "" if it was dropped.
        levels: The categories of a one-hot encoded column, one number each; of a typed column its legal values in
            words.
        dropped: Why the column was dropped; "" if it was kept.
        imputed: How many of its missing values were replaced by a constant.

    Raises:
        InvalidInput: If the column is both kept and dropped, or neither.

    Example:
        >>> ColumnCard("customer", dropped="identifier").kept
        False
    """

    name: str
    encoding: Encoding = ""
    levels: tuple[str, ...] = ()
    dropped: str = ""
    imputed: int = 0

    def __post_init__(self) -> None:
        text("name", self.name)
        text("dropped", self.dropped)
        choice("encoding", self.encoding, ENCODINGS)
        whole("imputed", self.imputed, 0)
        levels = several("levels", self.levels, "categories")
        object.__setattr__(self, "levels", tuple(text("a level", level) for level in levels))
        if bool(self.encoding) == bool(self.dropped):
            raise InvalidInput(f"a column must have an encoding or a reason why it was dropped, got {self.name!r}")

    @property
    def kept(self) -> bool:
        """Whether the learner sees it."""
        return not self.dropped


@dataclass(frozen=True)
class DataCard:
    """What a table held, and what was kept of it.

    Args:
        source: The file or the dataset.
        rows_read: Rows of the table.
        rows: Rows that were kept.
        rows_dropped: How many rows were dropped, by reason, in the order of the steps.
        columns: Every column besides the label.
        features: Numbers in a row that the learner is trained on.
        label: The label column; "" if a typed table has none.
        classes: Each class that was kept and its number of rows; their positions are the labels 0, 1, 2, …. Empty if
            the label is a number to be predicted.
        classes_dropped: Each class that was not kept, and its number of rows.
        label_range: The least and the greatest label, where the label is a number; None where it is a class.
        missing: How missing values were handled: "drop", the constant in their place, or "keep" in a typed table.
        scale: "unit" if every column was scaled to [0, 1], "none" if not.
        seed: Seed of the draw of rows.
        unit: The column that names the owner of each row, and how many rows each has. None if every row is a unit.

    Raises:
        InvalidInput: If a value is of the wrong kind, or the rows do not add up.

    Example:
        >>> card = DataCard("toy.csv", 3, 2, (("with a missing value", 1),), (ColumnCard("x", "number"),), 1, "y")
        >>> [column.name for column in card.kept]
        ['x']
    """

    source: str
    rows_read: int
    rows: int
    rows_dropped: tuple[tuple[str, int], ...]
    columns: tuple[ColumnCard, ...]
    features: int
    label: str
    classes: tuple[tuple[str, int], ...] = ()
    classes_dropped: tuple[tuple[str, int], ...] = ()
    label_range: tuple[float, float] | None = None
    missing: str = "drop"
    scale: str = "unit"
    seed: int = 0
    unit: str | None = field(default=None, metadata={"later": True, "in_files": "if given"})

    def __post_init__(self) -> None:
        for name in ("source", "label", "missing", "scale"):
            text(name, getattr(self, name))
        if self.unit is not None:
            text("unit", self.unit)
        for name in ("rows_read", "rows", "features", "seed"):
            whole(name, getattr(self, name), 0)
        for name in ("rows_dropped", "classes", "classes_dropped"):
            object.__setattr__(self, name, _counts(name, getattr(self, name)))
        columns = several("columns", self.columns, "columns")
        object.__setattr__(self, "columns", tuple(instance("a column", column, ColumnCard) for column in columns))
        if self.label_range is not None:
            low, high = several("label_range", self.label_range, "two numbers")
            infinity = float("inf")
            ends = real("label_range", low, -infinity, infinity), real("label_range", high, -infinity, infinity)
            object.__setattr__(self, "label_range", ends)
        gone = sum(count for _, count in self.rows_dropped)
        if self.rows + gone != self.rows_read:
            raise InvalidInput(
                f"rows kept and dropped must add up to the {self.rows_read} rows read, got {self.rows} and {gone}"
            )

    @property
    def kept(self) -> tuple[ColumnCard, ...]:
        """The columns that the learner sees."""
        return tuple(column for column in self.columns if column.kept)

    @property
    def dropped(self) -> tuple[ColumnCard, ...]:
        """The columns that it does not see."""
        return tuple(column for column in self.columns if not column.kept)


def list_dropped(columns: tuple[ColumnCard, ...], most: int = 8) -> str:
    """The names of dropped columns, those of one reason together.

    >>> list_dropped((ColumnCard("id", dropped="identifier"), ColumnCard("key", dropped="identifier")))
    'id, key (identifier)'
    """
    reasons: dict[str, list[str]] = {}
    for column in columns:
        reasons.setdefault(column.dropped, []).append(column.name)
    return ", ".join(f"{list_some(names, most)} ({reason})" for reason, names in reasons.items())


def list_some(names: Sequence[str], most: int = 8) -> str:
    """The first names, and how many more there are.

    >>> list_some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {count(more)} more" if more > 0 else "")


def _counts(name: str, value: object) -> tuple[tuple[str, int], ...]:
    pairs = [several(f"an entry of {name}", pair, "a name and a number") for pair in several(name, value, "pairs")]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidInput(f"{name} must be pairs of a name and a number, got something else")
    return tuple((text("a name", said), whole("a number", number, 0)) for said, number in pairs)
