"""From a raw table to a dataset: encoded, scaled, two classes, subsampled; every rule is stated here."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import default_rng

from mlaudit.datasets._table import MISSING, Table, Text
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.checks import several, shown, text, whole
from mlaudit.types.dataset import Dataset

_MISSING = frozenset(MISSING)
_MOST_CATEGORIES = 100
_MOST_CLASSES = 20  # among which the two most frequent are taken unasked
_MOSTLY = 0.9


@dataclass(frozen=True)
class Preparation:
    """What is done to a table, in this order.

    1. Rows with a missing value (empty, ?, NA, nan, null) are dropped.
    2. The two most frequent classes are kept, ties in sorted order, or the two that are named; they become 0 and 1 in
       sorted order. A label column of more than 20 different values, or of so many that most rows have one of their
       own, is refused unless two are named.
    3. At most `rows` rows are kept, drawn with `seed`, in their published order.
    4. A column is numeric when all its values are numbers and it is not listed as a code. Other columns are one-hot
       encoded, or dropped. Columns that are constant are dropped.
    5. Every column is scaled to [0, 1], or left in its own units (`scale` "none").
    """

    rows: int = 1000
    categorical: Literal["one-hot", "drop"] = "one-hot"
    classes: tuple[str, str] | None = None
    seed: int = 0
    scale: Literal["unit", "none"] = "unit"

    def __post_init__(self) -> None:
        whole("rows", self.rows, 2)
        whole("seed", self.seed, 0)
        if not isinstance(self.categorical, str) or self.categorical not in ("one-hot", "drop"):
            raise InvalidInput(f"categorical must be 'one-hot' or 'drop', got {shown(self.categorical)}")
        if not isinstance(self.scale, str) or self.scale not in ("unit", "none"):
            raise InvalidInput(f"scale must be 'unit' or 'none', got {shown(self.scale)}")
        if self.classes is not None:
            names = tuple(text("a class", name) for name in several("classes", self.classes, "two labels"))
            if len(names) != 2:
                raise InvalidInput(f"classes must be two labels, got {shown(self.classes)}")
            object.__setattr__(self, "classes", names)


def prepare(table: Table, how: Preparation) -> Dataset:
    """The dataset to audit on.

    >>> table = Table("toy", {"x": np.array(["1", "3", "?"]), "y": np.array(["no", "yes", "no"])}, "y")
    >>> prepared = prepare(table, Preparation())
    >>> prepared.X.tolist(), prepared.y.tolist()
    ([[0.0], [1.0]], [0, 1])
    """
    kept = np.flatnonzero(_complete(table))
    classes = _classes(table, kept, how.classes)
    kept = kept[np.isin(table.columns[table.target][kept], classes)]
    if len(kept) > how.rows:
        kept = np.sort(default_rng(how.seed).permutation(kept)[: how.rows])
    y = (table.columns[table.target][kept] == classes[1]).astype(np.int64)
    if len(np.unique(y)) < 2:
        raise InvalidInput(f"{table.name} must have rows of both classes, got one class; keep more rows")
    names = [name for name in table.columns if name != table.target]
    blocks = [_encoded(table, name, kept, how) for name in names]
    X = np.hstack([block for block in blocks if block is not None] or [np.empty((len(kept), 0))])
    varied = X[:, np.ptp(X, axis=0) > 0] if X.size else X
    if varied.shape[1] == 0:
        raise InvalidInput(f"{table.name} must have a column that varies beside its label, got none")
    X = varied if how.scale == "none" else (varied - varied.min(axis=0)) / np.ptp(varied, axis=0)
    return Dataset(X, y, name=table.name.partition(".")[0])


def _complete(table: Table) -> BoolArray:
    missing = np.zeros(len(table), dtype=bool)
    for column in table.columns.values():
        if not _MISSING.isdisjoint(column.tolist()):  # most columns are whole, and there may be many
            missing |= np.isin(column, MISSING)
    if missing.all():
        raise InvalidInput(f"{table.name} must have rows without missing values, got none; impute them first")
    return ~missing


def _classes(table: Table, kept: IntArray, named: tuple[str, str] | None) -> list[str]:
    values, counts = np.unique(table.columns[table.target][kept], return_counts=True)
    if named is not None:
        strange = [name for name in named if name not in values]
        if strange or named[0] == named[1]:
            raise InvalidInput(f"classes must be two labels of {table.name} ({', '.join(values[:8])}), got {named}")
        return sorted(named)
    if len(values) < 2:
        raise InvalidInput(f"{table.name} must have labels of two classes in {table.target!r}, got {len(values)}")
    if not _are_classes(len(values), len(kept)):
        raise InvalidInput(
            f"{table.name} must have classes in {table.target!r}, got {len(values)} different values in {len(kept)} "
            "rows; name the label column with --target, or two of these values with --classes; cut a number that is "
            "to be predicted into classes first"
        )
    most = np.argsort(-counts, kind="stable")[:2]
    return sorted(str(v) for v in values[most])


def _are_classes(values: int, rows: int) -> bool:
    """Whether a column of so many different values can be labels: a number to be predicted, or an id, is none.

    >>> _are_classes(3, 150), _are_classes(60, 60), _are_classes(73, 10_000), _are_classes(2, 2)
    (True, False, False, True)
    """
    return values == 2 or (values <= _MOST_CLASSES and 2 * values <= rows)


def _encoded(table: Table, name: str, kept: IntArray, how: Preparation) -> FloatArray | None:
    column = table.columns[name][kept]
    numbers = None if name in table.categorical else _numbers(table, name, column)
    if numbers is not None:
        return numbers[:, None]
    if how.categorical == "drop":
        return None
    values = np.unique(column)
    if len(values) > _MOST_CATEGORIES:
        raise InvalidInput(
            f"{table.name} must have at most {_MOST_CATEGORIES} categories in a column, got {len(values)} in "
            f"{name!r}; leave such columns out with --categorical drop"
        )
    return np.asarray(column[:, None] == values[None, :], dtype=float)


def _numbers(table: Table, name: str, column: Text) -> FloatArray | None:
    """The column as numbers, or None for categories; a few words among numbers are a mistake."""
    try:
        numbers = column.astype(float)
    except ValueError:
        words = [value for value in column if not _is_number(value)]
        if len(words) <= (1 - _MOSTLY) * len(column):
            raise InvalidInput(
                f"{table.name} must hold only numbers in column {name!r}, got {str(words[0])!r} among them; "
                "correct it or mark it as missing"
            ) from None
        return None
    if not np.isfinite(numbers).all():
        raise InvalidInput(f"{table.name} must hold finite numbers, got infinity in column {name!r}")
    return numbers


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
