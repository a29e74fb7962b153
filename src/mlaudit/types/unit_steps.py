"""Count the neighbour steps between two datasets with units: a step changes all rows of one unit.

See docs/decisions/045-units.md; `tests/types/test_units.py` compares the counts with a breadth-first search.
"""

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, BoolArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.matching import differ_in_bytes, find_unequal_rows, number_rows
from mlaudit.types.units import number_units
from mlaudit.types.zeroing import is_null


def count_replaced_units(base: Dataset, neighbour: Dataset) -> int:
    """Count the units with a row that differs; both datasets have the same owners, row by row.

    >>> count_replaced_units(Dataset([0.0, 1.0, 2.0], units=[7, 7, 8]), Dataset([5.0, 6.0, 2.0], units=[7, 7, 8]))
    1
    """
    return len(np.unique(_owners(base)[find_unequal_rows(base, neighbour)]))


def count_edited_units(base: Dataset, neighbour: Dataset) -> int:
    """Count the units that must be removed or added, with all their rows, to turn D into D′.

    A unit that only one side has is one step. A unit that both sides have with other rows is two: it is removed, and
    added with its new rows. All other rows must come in the same order on both sides.

    >>> count_edited_units(Dataset([0.0, 1.0, 2.0], units=[7, 7, 8]), Dataset([2.0], units=[8]))
    1
    """
    names, owners = np.unique(np.concatenate([_owners(base), _owners(neighbour)]), return_inverse=True)
    rows = np.concatenate(number_rows(base, neighbour))
    sides = [np.column_stack([owners[part], rows[part]]) for part in (slice(len(base)), slice(len(base), None))]
    present = [np.isin(np.arange(len(names)), side[:, 0]) for side in sides]
    changed = _find_changed(sides[0], sides[1], len(names))
    kept = present[0] & present[1] & ~changed
    same_order = [side[kept[side[:, 0]]] for side in sides]
    if not np.array_equal(same_order[0], same_order[1]):
        raise InvalidInput(
            "under add-remove the rows of all units that are not changed must come in the same order, got another "
            "order in D′; keep the order"
        )
    return int((present[0] != present[1]).sum() + 2 * (present[0] & present[1] & changed).sum())


def count_zeroed_units(base: Dataset, neighbour: Dataset) -> int:
    """Count the steps of zero-out: one for a unit of which one side has only zeros, two for every other change.

    >>> count_zeroed_units(Dataset([1.0, 2.0, 3.0], units=[7, 7, 8]), Dataset([0.0, 0.0, 4.0], units=[7, 7, 8]))
    3
    """
    units = number_units(_owners(base))
    changed = _any_of_each(units, find_unequal_rows(base, neighbour))
    null = [~_any_of_each(units, ~is_null(side.X, base.domain)) for side in (base, neighbour)]
    relabelled = np.zeros(len(changed), dtype=bool)
    if base.y is not None and neighbour.y is not None:
        relabelled = _any_of_each(units, np.asarray(base.y != neighbour.y))
    moved = _any_of_each(units, differ_in_bytes(base.X, neighbour.X))
    one = moved & (null[0] | null[1]) & ~relabelled
    return int(np.where(one, 1, 2 * changed).sum())


def _owners(data: Dataset) -> AnyArray:
    if data.units is None:
        raise InvalidInput("either both datasets of a pair have units or neither, got units on one")
    return data.units


def _any_of_each(units: IntArray, rows: BoolArray) -> BoolArray:
    """For each unit, whether any of its rows is marked."""
    return np.asarray(np.bincount(units, weights=rows) > 0)


def _find_changed(one: IntArray, other: IntArray, units: int) -> BoolArray:
    """Which units have other rows on the two sides, each unit's rows in order; a unit on one side only has."""
    first, second = (side[np.argsort(side[:, 0], kind="stable")] for side in (one, other))
    sizes = [np.bincount(side[:, 0], minlength=units) for side in (first, second)]
    changed = np.asarray(sizes[0] != sizes[1])
    equal_sizes = [side[~changed[side[:, 0]]] for side in (first, second)]
    differ = equal_sizes[0][:, 1] != equal_sizes[1][:, 1]
    changed[equal_sizes[0][differ, 0]] = True
    return changed
