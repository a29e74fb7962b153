"""Edit the rows of a dataset: replace, relabel, add and remove them.

Every neighbour D′ is made by these four edits. An edited dataset keeps its name and its domain; a row outside the
domain is refused. `mlaudit.types.matching` finds the edited rows again.
"""

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, IntArray
from mlaudit.types.checks import quote
from mlaudit.types.clipping import takes_any
from mlaudit.types.dataset import Dataset
from mlaudit.types.matching import differ_in_bytes

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
    """
    rows = data.X.copy()
    rows[at] = X
    return data.with_rows(rows, data.y if y is None else _relabel(data, at, y))


def relabel_rows(data: Dataset, at: Positions, y: ArrayLike) -> Dataset:
    """Give other labels to the rows at the given positions.

    >>> relabel_rows(Dataset([0.0, 1.0], y=["no", "no"]), 1, "yes").y.tolist()
    ['no', 'yes']
    """
    return data.with_rows(data.X, _relabel(data, at, y))


def add_rows(data: Dataset, at: Positions, X: ArrayLike, y: ArrayLike | None = None) -> Dataset:
    """Insert rows before the given positions of D; the position `len(data)` appends.

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
    """
    rows = np.insert(data.X, at, np.asarray(X, dtype=float), axis=0)
    if data.y is None:
        return data.with_rows(rows)
    if y is None:
        raise InvalidInput("a row added to labelled rows needs a label, got none; give one")
    labels, given = _with_room(data.y, np.asarray(y))
    return data.with_rows(rows, np.insert(labels, at, given))


def remove_rows(data: Dataset, at: Positions) -> Dataset:
    """Leave out the rows at the given positions.

    >>> remove_rows(Dataset([0.0, 1.0, 2.0]), [0, 2]).X.ravel().tolist()
    [1.0]
    >>> remove_rows(Dataset([0.0]), 0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a dataset needs at least one row, got 1 to remove of 1
    """
    kept = np.delete(np.arange(len(data)), at)
    if not kept.size:
        raise InvalidInput(f"a dataset needs at least one row, got {len(data)} to remove of {len(data)}")
    return data.with_rows(data.X[kept], None if data.y is None else data.y[kept])


def find_unequal(data: Dataset, order: IntArray, x: ArrayLike | None = None, label: object = None) -> IntArray:
    """Those positions of `order` whose row is not (x, label) already: replacing the others would change nothing.

    >>> find_unequal(Dataset([0.0, 1.0, 0.0], y=[0, 0, 1]), np.array([2, 1, 0]), [0.0], label=0).tolist()
    [2, 1]
    """
    unequal = np.zeros(len(order), dtype=bool)
    if x is not None:
        point = np.atleast_2d(np.asarray(x, dtype=float))
        # As the dataset would hold it: without -0.0, unless its domain allows any number.
        unequal |= differ_in_bytes(data.X[order], point if takes_any(data.domain) else point + 0.0)
    if data.y is not None and label is not None:
        unequal |= data.y[order] != label
    return order[unequal]


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
