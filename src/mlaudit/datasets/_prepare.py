"""From a raw table to a dataset: encoded, scaled, two classes, subsampled; every rule is stated here."""

import numpy as np
from numpy.random import default_rng

from mlaudit.datasets._table import MISSING, Table, Text
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.preparation import Preparation

_MISSING = frozenset(MISSING)
_MOST_CATEGORIES = 100
_MOST_CLASSES = 20  # among which the two most frequent are taken unasked
_MOSTLY = 0.9


def prepare(table: Table, how: Preparation) -> Dataset:
    """The dataset to audit on.

    >>> table = Table("toy", {"x": np.array(["1", "3", "?"]), "y": np.array(["no", "yes", "no"])}, "y")
    >>> prepared = prepare(table, Preparation())
    >>> prepared.X.tolist(), prepared.y.tolist()
    ([[0.0], [1.0]], [0, 1])
    """
    kept = np.flatnonzero(_find_complete_rows(table))
    classes = _choose_classes(table, kept, how.classes)
    kept = kept[np.isin(table.columns[table.target][kept], classes)]
    if len(kept) > how.rows:
        kept = np.sort(default_rng(how.seed).permutation(kept)[: how.rows])
    y = (table.columns[table.target][kept] == classes[1]).astype(np.int64)
    if len(np.unique(y)) < 2:
        raise InvalidInput(f"{table.name} must have rows of both classes, got one class; keep more rows")
    names = [name for name in table.columns if name != table.target]
    blocks = [_encode_column(table, name, kept, how) for name in names]
    X = np.hstack([block for block in blocks if block is not None] or [np.empty((len(kept), 0))])
    varying = X[:, np.ptp(X, axis=0) > 0] if X.size else X
    if varying.shape[1] == 0:
        raise InvalidInput(f"{table.name} must have a column that varies beside its label, got none")
    X = varying if how.scale == "none" else (varying - varying.min(axis=0)) / np.ptp(varying, axis=0)
    return Dataset(X, y, name=table.name.partition(".")[0])


def _find_complete_rows(table: Table) -> BoolArray:
    missing = np.zeros(len(table), dtype=bool)
    for column in table.columns.values():
        if not _MISSING.isdisjoint(column.tolist()):  # most columns are whole, and there may be many
            missing |= np.isin(column, MISSING)
    if missing.all():
        raise InvalidInput(f"{table.name} must have rows without missing values, got none; impute them first")
    return ~missing


def _choose_classes(table: Table, kept: IntArray, named: tuple[str, str] | None) -> list[str]:
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


def _encode_column(table: Table, name: str, kept: IntArray, how: Preparation) -> FloatArray | None:
    column = table.columns[name][kept]
    numbers = None if name in table.categorical else _parse_numbers(table, name, column)
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


def _parse_numbers(table: Table, name: str, column: Text) -> FloatArray | None:
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
