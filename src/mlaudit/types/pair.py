"""A pair of datasets D and D′, and how many neighbour steps lie between them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import FloatArray, freeze, set_frozen_state
from mlaudit.types.checks import instance, quote
from mlaudit.types.claim import Relation
from mlaudit.types.clipping import move_near
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.matching import count_edits, count_replaced, differ_in_bytes, is_aligned
from mlaudit.types.unit_steps import count_edited_units, count_replaced_units, count_zeroed_units
from mlaudit.types.zeroing import count_zeroed


@dataclass(frozen=True, eq=False, init=False)
class Pair:
    """D and D′. A pair computes from its data in how many rows and steps they differ.

    If the datasets have units, a step changes all rows of one unit, and `rows` counts units.

    Args:
        base: The dataset D.
        neighbour: D′. It gets the domain of D and must lie in it.
        target: The poisoned point x*, for summaries that depend on it.

    Raises:
        InvalidInput: If the datasets are equal or cannot be compared, or D′ lies outside the domain of D.

    Example:
        >>> pair = Pair(Dataset([0.0, 0.0, 0.0]), Dataset([0.0, 1.0, 0.0]))
        >>> pair.rows, pair.relation.value
        (1, 'replace-one')
        >>> pair.steps(Relation.REPLACE_ONE), pair.steps(Relation.ADD_REMOVE)
        (1, 2)
        >>> Pair(Dataset([0.0, 0.0, 0.0], units=[7, 7, 8]), Dataset([1.0, 1.0, 0.0], units=[7, 7, 8])).rows
        1
    """

    base: Dataset
    neighbour: Dataset
    target: FloatArray | None

    def __init__(self, base: Dataset, neighbour: Dataset, target: ArrayLike | None = None) -> None:
        for name, value in (("base", base), ("neighbour", neighbour)):
            instance(name, value, Dataset, "wrap it in Dataset(...)")
        _check_comparable(base, neighbour)
        point = None if target is None else _point(target, typed=isinstance(base.domain, Columns))
        if point is not None and isinstance(base.domain, Columns):
            point = freeze(move_near(point, base.domain))  # a summary that predicts at x* needs numbers
        object.__setattr__(self, "base", base)
        # One domain for both, so that D′ cannot lie outside what D was declared to be.
        object.__setattr__(self, "neighbour", neighbour.within(base.domain))
        if isinstance(base.domain, Columns) and self.neighbour.domain is not base.domain:
            raise InvalidInput(
                "both datasets of a pair need the same columns, got a text in D′ that a column of D does not list; "
                "list it in Text(values=…) of both"
            )
        object.__setattr__(self, "target", point)
        if self.rows == 0:
            raise InvalidInput("base and neighbour must differ, got the same rows twice")

    __setstate__ = set_frozen_state

    @property
    def relation(self) -> Relation:
        """How the neighbour was made: rows replaced, or rows added or removed."""
        return Relation.REPLACE_ONE if is_aligned(self.base, self.neighbour) else Relation.ADD_REMOVE

    @property
    def rows(self) -> int:
        """k: how many rows were changed; how many units, if the datasets have units."""
        return self.steps(self.relation)

    def steps(self, under: Relation) -> int:
        """The number of neighbour steps between D and D′ under a relation; a bound is divided by it.

        Args:
            under: The neighbour relation that is claimed.

        Returns:
            How many steps lead from D to D′.

        Raises:
            InvalidInput: If the datasets differ in size or in the owners of rows and the relation is not add-remove,
                or if they differ in features and the relation is label-only.
        """
        if instance("under", under, Relation) is Relation.ADD_REMOVE:
            return self._edits
        if len(self.base) != len(self.neighbour):
            raise InvalidInput(
                f"under {under.value} both datasets need the same size, got {len(self.base)} and "
                f"{len(self.neighbour)} rows; claim add-remove or replace rows instead"
            )
        if not is_aligned(self.base, self.neighbour):
            raise InvalidInput(
                f"under {under.value} every row needs the same owner in both datasets, got other units in D′; claim "
                "add-remove or keep the units"
            )
        if under is Relation.ZERO_OUT:
            return self._zeroed
        if under is Relation.LABEL_ONLY:
            _check_features(self.base, self.neighbour)
        return self._replaced

    @cached_property
    def _replaced(self) -> int:
        count = count_replaced if self.base.units is None else count_replaced_units
        return count(self.base, self.neighbour)

    @cached_property
    def _edits(self) -> int:
        count = count_edits if self.base.units is None else count_edited_units
        return count(self.base, self.neighbour)

    @cached_property
    def _zeroed(self) -> int:
        count = count_zeroed if self.base.units is None else count_zeroed_units
        return count(self.base, self.neighbour)


def _point(target: ArrayLike, *, typed: bool) -> FloatArray:
    point = numbers("target", target).reshape(-1)
    if not point.size or not (np.isfinite(point) | (typed & np.isnan(point))).all():
        raise InvalidInput(f"target must be a point of finite numbers, got {quote(target)}")
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
    if (base.units is None) != (neighbour.units is None):
        raise InvalidInput(
            "either both datasets of a pair have units or neither, got units on one; keep them, as "
            "data.with_rows(X, y) does"
        )
    if base.units is not None and neighbour.units is not None and base.units.dtype.kind != neighbour.units.dtype.kind:
        raise InvalidInput(
            f"both datasets of a pair need units of one type, got {base.units.dtype} and {neighbour.units.dtype}; or "
            "every unit would differ"
        )


def _check_features(base: Dataset, neighbour: Dataset) -> None:
    """Refuse a pair that a claim about labels says nothing about."""
    moved = np.flatnonzero(differ_in_bytes(base.X, neighbour.X))
    if moved.size:
        raise InvalidInput(
            f"under label-only both datasets need the same features, got other features in row {moved[0]}; change "
            "labels only, or claim replace-one"
        )
