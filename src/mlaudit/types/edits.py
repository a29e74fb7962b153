"""Edit the rows of a dataset: replace, relabel, add and remove them.

Every neighbour D′ is made by these four edits. An edited dataset keeps its name and its domain; a row outside the
domain is refused. `mlaudit.types.matching` finds the edited rows again.

If the dataset has units, an edit of a row edits all rows of its unit in the same way, and a new row is a new unit. So
whatever edits k units makes a D′ that is k units away.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, BoolArray, IntArray
from mlaudit.types.checks import quote
from mlaudit.types.clipping import takes_any
from mlaudit.types.dataset import Dataset
from mlaudit.types.matching import differ_in_bytes
from mlaudit.types.units import count_rows_of, first_of_each, name_new, widen

Positions = int | list[int] | range | IntArray


def replace_rows(data: Dataset, at: Positions, X: ArrayLike, y: ArrayLike | None = None) -> Dataset:
    """Put other rows in place of those at the given positions.

    Args:
        data: D.
        at: Positions of the rows to replace.
        X: The new rows: one for each position, or one for all of them.
        y: The new labels: one for each position, or one for all. Without any the rows keep their labels.

    Returns:
        D with these rows replaced.

    Raises:
        InvalidInput: If a new row or label lies outside the domain, or a label is of another type than D's.

    Example:
        >>> replace_rows(Dataset([0.0, 1.0, 2.0]), [0, 2], [9.0]).X.ravel().tolist()
        [9.0, 1.0, 9.0]
        >>> replace_rows(Dataset([0.0, 1.0, 2.0], units=[7, 8, 7]), 0, [9.0]).X.ravel().tolist()
        [9.0, 1.0, 9.0]
    """
    at, X, y = _whole_units(data, at, X, y)
    rows = data.X.copy()
    rows[at] = X
    return data.with_rows(rows, data.y if y is None else _relabel(data, at, y))


def relabel_rows(data: Dataset, at: Positions, y: ArrayLike) -> Dataset:
    """Give other labels to the rows at the given positions.

    >>> relabel_rows(Dataset([0.0, 1.0], y=["no", "no"]), 1, "yes").y.tolist()
    ['no', 'yes']
    """
    at, _, labels = _whole_units(data, at, None, y)
    return data.with_rows(data.X, _relabel(data, at, np.asarray(labels)))


def add_rows(data: Dataset, at: Positions, X: ArrayLike, y: ArrayLike | None = None) -> Dataset:
    """Insert rows before the given positions of D; the position `len(data)` appends.

    If D has units, each new row is a new unit: as many copies of the row as the largest unit of D has rows.

    Args:
        data: D.
        at: A position for each new row; equal positions keep the order of the new rows.
        X: The new rows: one for each position, or one for all of them.
        y: Their labels, if D has labels: one for each position, or one for all.

    Returns:
        D with these rows added.

    Raises:
        InvalidInput: If a new row or label lies outside the domain, or a label is of another type than D's.

    Example:
        >>> add_rows(Dataset([0.0, 1.0]), [1, 1, 2], [[5.0], [6.0], [7.0]]).X.ravel().tolist()
        [0.0, 5.0, 6.0, 1.0, 7.0]
        >>> add_rows(Dataset([0.0, 1.0, 2.0], units=[7, 7, 8]), 3, [5.0]).units.tolist()
        [7, 7, 8, 9, 9]
    """
    at, X, y, units = _new_units(data, at, X, y)
    rows = np.insert(data.X, at, np.asarray(X, dtype=float), axis=0)
    if data.y is None:
        return data.with_rows(rows, units=units)
    if y is None:
        raise InvalidInput("a row added to labelled rows needs a label, got none; give one")
    labels, given = _with_room(data.y, np.asarray(y))
    return data.with_rows(rows, np.insert(labels, at, given), units)


def remove_rows(data: Dataset, at: Positions) -> Dataset:
    """Leave out the rows at the given positions.

    >>> remove_rows(Dataset([0.0, 1.0, 2.0]), [0, 2]).X.ravel().tolist()
    [1.0]
    >>> remove_rows(Dataset([0.0]), 0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a dataset needs at least one row, got 1 to remove of 1
    """
    at, _, _ = _whole_units(data, at)
    kept = np.delete(np.arange(len(data)), at)
    if not kept.size:
        raise InvalidInput(f"a dataset needs at least one row, got {len(data)} to remove of {len(data)}")
    return select_rows(data, kept)


def select_rows(data: Dataset, kept: Positions) -> Dataset:
    """The rows at the given positions, with their labels and owners. This is no neighbour: it may split units.

    >>> select_rows(Dataset([0.0, 1.0, 2.0], units=[7, 7, 8]), [1, 2]).units.tolist()
    [7, 8]
    """
    labels, units = (None if part is None else part[kept] for part in (data.y, data.units))
    return data.with_rows(data.X[kept], labels, units)


def find_unequal(data: Dataset, order: IntArray, x: ArrayLike | None = None, label: object = None) -> IntArray:
    """Those positions of `order` whose row is not (x, label) already: replacing the others would change nothing.

    If the dataset has units, one position for each unit of which any row is not (x, label) already.

    >>> find_unequal(Dataset([0.0, 1.0, 0.0], y=[0, 0, 1]), np.array([2, 1, 0]), [0.0], label=0).tolist()
    [2, 1]
    """
    if data.units is None:
        return order[_are_unequal(data, order, x, label)]
    changed = data.units[_are_unequal(data, np.arange(len(data)), x, label)]
    return first_of_each(data.units, order[np.isin(data.units[order], changed)])


def _are_unequal(data: Dataset, order: IntArray, x: ArrayLike | None, label: object) -> BoolArray:
    unequal = np.zeros(len(order), dtype=bool)
    if x is not None:
        point = np.atleast_2d(np.asarray(x, dtype=float))
        # As the dataset would hold it: without -0.0, unless its domain allows any number.
        unequal |= differ_in_bytes(data.X[order], point if takes_any(data.domain) else point + 0.0)
    if data.y is not None and label is not None:
        unequal |= data.y[order] != label
    return unequal


def first_rows(data: Dataset, order: IntArray) -> IntArray:
    """The positions of `order`; if the dataset has units, the first position of each unit.

    >>> first_rows(Dataset([0.0, 1.0, 2.0], units=[7, 7, 8]), np.array([1, 0, 2])).tolist()
    [1, 2]
    """
    return order if data.units is None else first_of_each(data.units, order)


def mark_whole_units(data: Dataset, rows: BoolArray) -> BoolArray:
    """The marked rows; if the dataset has units, only those whose unit is marked in all its rows.

    >>> mark_whole_units(Dataset([0.0, 1.0, 2.0], units=[7, 7, 8]), np.array([True, False, True])).tolist()
    [False, False, True]
    """
    return rows if data.units is None else rows & ~np.isin(data.units, data.units[~rows])


def _whole_units(
    data: Dataset, at: Positions, X: ArrayLike | None = None, y: ArrayLike | None = None
) -> tuple[Positions, Any, ArrayLike | None]:
    """The edit of whole units: every row of a unit is edited as the row of it that is named, or as the first such."""
    if data.units is None:
        return at, X, y
    rows, entry = widen(data.units, at)
    named = np.size(np.arange(len(data))[at])
    given = None if X is None else np.broadcast_to(np.asarray(X, dtype=float), (named, data.X.shape[1]))[entry]
    return rows, given, None if y is None else np.broadcast_to(np.asarray(y), named)[entry]


def _new_units(
    data: Dataset, at: Positions, X: ArrayLike, y: ArrayLike | None
) -> tuple[Positions, ArrayLike, ArrayLike | None, AnyArray | None]:
    """Rows that are added as new units, each as many times as the largest unit of D has rows."""
    if data.units is None:
        return at, X, y, None
    before, each = np.atleast_1d(np.asarray(at)), int(count_rows_of(data.units).max())
    many, entry = len(before), np.repeat(np.arange(len(before)), each)
    rows = np.broadcast_to(np.asarray(X, dtype=float), (many, data.X.shape[1]))[entry]
    owners, new = _with_room(data.units, name_new(data.units, many))
    labels = None if y is None else np.broadcast_to(np.asarray(y), many)[entry]
    return before[entry], rows, labels, np.insert(owners, before[entry], new[entry])


def _relabel(data: Dataset, at: Positions, y: ArrayLike) -> AnyArray | None:
    if data.y is None:
        return None
    labels, given = _with_room(data.y, np.asarray(y))
    changed = labels.copy()
    changed[at] = given
    return changed


def _with_room(labels: AnyArray, given: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Both in one type that holds the new labels as they are: numpy would cut long text and round numbers."""
    if labels.dtype.kind == given.dtype.kind == "U":
        wide = np.promote_types(labels.dtype, given.dtype)
        return labels.astype(wide), given
    try:
        same = given.astype(labels.dtype)
        kept = bool((same == given).all())
    except (TypeError, ValueError):
        kept = False
    if not kept:
        raise InvalidInput(
            f"new labels must be of the type of the old ones, {labels.dtype}, got {quote(given.tolist())}"
        )
    return labels, same
