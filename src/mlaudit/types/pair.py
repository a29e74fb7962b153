"""Two datasets a learner should not tell apart, and how many neighbour steps lie between them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import FloatArray, IntArray, freeze, set_frozen_state
from mlaudit.types.checks import instance, shown
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset


@dataclass(frozen=True, eq=False, init=False)
class Pair:
    """D and D′, with the poisoned point x* for summaries that look at it.

    A pair counts its own differences, so it cannot say fewer than there are.

    >>> pair = Pair(Dataset([0.0, 0.0, 0.0]), Dataset([0.0, 1.0, 0.0]))
    >>> pair.rows, pair.relation.value
    (1, 'replace-one')
    >>> pair.steps(Relation.REPLACE_ONE), pair.steps(Relation.ADD_REMOVE)
    (1, 2)
    """

    base: Dataset
    neighbour: Dataset
    target: FloatArray | None

    def __init__(self, base: Dataset, neighbour: Dataset, target: ArrayLike | None = None) -> None:
        for name, value in (("base", base), ("neighbour", neighbour)):
            instance(name, value, Dataset, "wrap it in Dataset(...)")
        _check_comparable(base, neighbour)
        point = None if target is None else _point(target)
        object.__setattr__(self, "base", base)
        # One domain for both, so that D′ cannot lie outside what D was declared to be.
        object.__setattr__(self, "neighbour", neighbour.within(base.domain))
        object.__setattr__(self, "target", point)
        if self.rows == 0:
            raise InvalidInput("base and neighbour must differ, got the same rows twice")

    __setstate__ = set_frozen_state

    @property
    def relation(self) -> Relation:
        """How the neighbour was made: rows replaced, or rows added or removed."""
        same_size = len(self.base) == len(self.neighbour)
        return Relation.REPLACE_ONE if same_size else Relation.ADD_REMOVE

    @property
    def rows(self) -> int:
        """k: how many rows were changed."""
        return self.steps(self.relation)

    def steps(self, under: Relation) -> int:
        """Neighbour steps between the two, under a relation: what a bound is divided by."""
        if instance("under", under, Relation) is Relation.ADD_REMOVE:
            return self._edits
        if len(self.base) != len(self.neighbour):
            raise InvalidInput(
                f"under replace-one both datasets need the same size, got {len(self.base)} and "
                f"{len(self.neighbour)} rows; claim add-remove or replace rows instead"
            )
        a, b = self._row_ids
        return int(np.count_nonzero(a != b))

    @cached_property
    def _row_ids(self) -> tuple[IntArray, IntArray]:
        """Each dataset as a sequence of whole numbers, equal where the rows are equal."""
        ids = _ids(np.vstack([self.base.X, self.neighbour.X]))
        if self.base.y is not None and self.neighbour.y is not None:
            labels = np.unique(np.concatenate([self.base.y, self.neighbour.y]), return_inverse=True)[1]
            ids = ids * (labels.max() + 1) + labels
        return ids[: len(self.base)], ids[len(self.base) :]

    @cached_property
    def _edits(self) -> int:
        """Fewest insertions and deletions that turn one into the other, order kept."""
        a, b = self._row_ids
        return len(a) + len(b) - 2 * _common_subsequence(a, b)


def _point(target: ArrayLike) -> FloatArray:
    point = numbers("target", target).reshape(-1)
    if not point.size or not np.isfinite(point).all():
        raise InvalidInput(f"target must be a point of finite numbers, got {shown(target)}")
    return freeze(point)


def _check_comparable(base: Dataset, neighbour: Dataset) -> None:
    if base.X.shape[1] != neighbour.X.shape[1]:
        raise InvalidInput(
            f"both datasets of a pair need the same columns, got {base.X.shape[1]} and {neighbour.X.shape[1]}"
        )
    if (base.y is None) != (neighbour.y is None):
        raise InvalidInput("either both datasets of a pair have labels or neither, got labels on one")
    if base.y is not None and neighbour.y is not None and base.y.dtype.kind != neighbour.y.dtype.kind:
        raise InvalidInput(
            f"both datasets of a pair need labels of one type, got {base.y.dtype} and {neighbour.y.dtype}; "
            "or every row would differ"
        )


def _ids(X: FloatArray) -> IntArray:
    rows = np.ascontiguousarray(X).view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
    return np.unique(rows, return_inverse=True)[1].astype(np.int64)


def _common_subsequence(a: IntArray, b: IntArray) -> int:
    """Length of the longest common subsequence; equal ends are cut first, as almost all rows are equal."""
    shorter = min(len(a), len(b))
    front = int(np.argmin(np.append(a[:shorter] == b[:shorter], False)))
    a, b = a[front:], b[front:]
    shorter = min(len(a), len(b))
    back = int(np.argmin(np.append(a[::-1][:shorter] == b[::-1][:shorter], False)))
    a, b = a[: len(a) - back], b[: len(b) - back]
    best = np.zeros(len(b) + 1, dtype=np.int64)
    for row in a:
        best[1:] = np.maximum.accumulate(np.maximum(best[1:], best[:-1] + (b == row)))
    return front + back + int(best[-1])
