"""Find the rows in which D and D′ differ. Everything that compares two datasets uses this one comparison."""

from dataclasses import dataclass

import numpy as np

from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.subsequence import common_length, match_positions


@dataclass(frozen=True)
class RowMatch:
    """A row of D and the row of D′ that stands for it, by position; None on a side that has no such row."""

    base: int | None
    neighbour: int | None
    changed: bool


def match_rows(base: Dataset, neighbour: Dataset) -> list[RowMatch]:
    """Match every row of D with a row of D′, in order.

    Datasets of equal size, with the same owners, are compared position by position: rows were replaced. Otherwise
    rows were added or removed, and the match is one with the fewest additions and removals.

    Args:
        base: D.
        neighbour: D′.

    Returns:
        One match for each row of D and for each row that only D′ has.

    Example:
        >>> [match.changed for match in match_rows(Dataset([0.0, 1.0]), Dataset([0.0, 5.0, 1.0]))]
        [False, True, False]
    """
    if is_aligned(base, neighbour):
        return [RowMatch(i, i, changed) for i, changed in enumerate(find_unequal_rows(base, neighbour).tolist())]
    a, b = number_rows(base, neighbour)
    found: list[RowMatch] = []
    next_base = next_neighbour = 0
    for i, j in [*match_positions(a, b), (len(a), len(b))]:
        found += [RowMatch(removed, None, changed=True) for removed in range(next_base, i)]
        found += [RowMatch(None, added, changed=True) for added in range(next_neighbour, j)]
        found += [RowMatch(i, j, changed=False)] if i < len(a) else []
        next_base, next_neighbour = i + 1, j + 1
    return found


def is_aligned(base: Dataset, neighbour: Dataset) -> bool:
    """Whether rows were replaced: the datasets have the same size, and the same owners row by row.

    >>> is_aligned(Dataset([0.0], units=[1]), Dataset([1.0], units=[2])), is_aligned(Dataset([0.0]), Dataset([1.0]))
    (False, True)
    """
    if base.units is None or neighbour.units is None:
        return len(base) == len(neighbour)
    return np.array_equal(base.units, neighbour.units)


def find_changes(base: Dataset, neighbour: Dataset) -> list[RowMatch]:
    """Find the rows in which D and D′ differ, as `match_rows` matches them.

    >>> find_changes(Dataset([0.0, 1.0]), Dataset([0.0, 2.0]))
    [RowMatch(base=1, neighbour=1, changed=True)]
    """
    return [match for match in match_rows(base, neighbour) if match.changed]


def count_replaced(base: Dataset, neighbour: Dataset) -> int:
    """Count the positions at which two datasets of equal size differ."""
    return int(np.count_nonzero(find_unequal_rows(base, neighbour)))


def count_edits(base: Dataset, neighbour: Dataset) -> int:
    """Count the fewest additions and removals that turn D into D′, order kept.

    >>> count_edits(Dataset([1.0, 2.0, 3.0]), Dataset([2.0, 3.0, 1.0]))
    2
    """
    a, b = number_rows(base, neighbour)
    return len(a) + len(b) - 2 * common_length(a, b)


def find_unequal_rows(base: Dataset, neighbour: Dataset) -> BoolArray:
    """Which rows of two datasets of equal size differ, position by position."""
    unequal = differ_in_bytes(base.X, neighbour.X)
    if base.y is not None and neighbour.y is not None:
        unequal |= base.y != neighbour.y
    return np.asarray(unequal)


def differ_in_bytes(X: FloatArray, other: FloatArray) -> BoolArray:
    """Which rows differ, by their bytes: NaN equals NaN, and -0.0 is not 0.0.

    >>> differ_in_bytes(np.array([[np.nan], [0.0]]), np.array([[np.nan], [-0.0]])).tolist()
    [False, True]
    """
    bits = [np.ascontiguousarray(side, dtype=np.float64).view(np.int64) for side in (X, other)]
    return np.asarray((bits[0] != bits[1]).any(axis=1))


def number_rows(base: Dataset, neighbour: Dataset) -> tuple[IntArray, IntArray]:
    """Each dataset as a sequence of whole numbers, equal where rows, labels and owners are equal."""
    ids = _ids(np.vstack([base.X, neighbour.X]))
    if base.y is not None and neighbour.y is not None:
        labels = np.unique(np.concatenate([base.y, neighbour.y]), return_inverse=True)[1]
        ids = ids * (labels.max() + 1) + labels
    if base.units is not None and neighbour.units is not None:
        owners = np.unique(np.concatenate([base.units, neighbour.units]), return_inverse=True)[1]
        ids = ids * (owners.max() + 1) + owners
    return ids[: len(base)], ids[len(base) :]


def _ids(X: FloatArray) -> IntArray:
    rows = np.ascontiguousarray(X).view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
    return np.unique(rows, return_inverse=True)[1].astype(np.int64)
