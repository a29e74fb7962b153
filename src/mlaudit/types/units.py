"""The privacy unit: who owns each row. All rows of one owner are one neighbour step.

These functions work on the array `Dataset.units`: one owner for each row. See docs/decisions/045-units.md.
"""

from collections.abc import Sequence

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import plain_array
from mlaudit.types.arrays import AnyArray, IntArray, freeze
from mlaudit.types.numbers import count

_LARGEST = 2**62  # leaves room to number units that are added


def read_units(units: object, rows: int) -> AnyArray:
    """The owners as whole numbers of 64 bits, or as text, in an array that cannot be written to.

    >>> read_units(["ann", "bob", "ann"], 3).tolist()
    ['ann', 'bob', 'ann']
    >>> read_units([0.5, 1.5], 2)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: units must be whole numbers or text, got float64; number the owners of the rows
    """
    owners = plain_array("units", units)
    if owners.ndim != 1 or len(owners) != rows:
        raise InvalidInput(f"units must hold one owner per row, got {owners.shape} owners for {rows} rows")
    if owners.dtype.kind not in "iuU":
        raise InvalidInput(f"units must be whole numbers or text, got {owners.dtype}; number the owners of the rows")
    if owners.dtype.kind == "U":
        return freeze(np.array(owners.tolist()))  # as wide as the longest text: equal owners have equal bytes
    if max(abs(int(owners.min())), abs(int(owners.max()))) > _LARGEST:
        raise InvalidInput(f"units must be whole numbers up to {_LARGEST}, got a larger one; give text instead")
    return freeze(owners.astype(np.int64))


def number_units(units: AnyArray) -> IntArray:
    """The number of each row's unit, from 0 in sorted order.

    >>> number_units(np.array(["b", "a", "b"])).tolist()
    [1, 0, 1]
    """
    return np.unique(units, return_inverse=True)[1].astype(np.int64)


def count_rows_of(units: AnyArray) -> IntArray:
    """How many rows each unit has."""
    return np.unique(units, return_counts=True)[1].astype(np.int64)


def widen(units: AnyArray, at: int | Sequence[int] | range | IntArray) -> tuple[IntArray, IntArray]:
    """All rows of the units of the rows at `at`, and for each of them the entry of `at` whose change it copies.

    A row that is named itself has its own entry, and every other row of its unit has the first entry of the unit.

    >>> rows, entry = widen(np.array([7, 8, 7, 9]), [2, 3])
    >>> rows.tolist(), entry.tolist()
    ([0, 2, 3], [0, 0, 1])
    """
    named = np.atleast_1d(np.arange(len(units))[at])
    entry = np.full(len(units), -1)
    if not named.size:
        return named.astype(np.int64), named.astype(np.int64)
    found, first = np.unique(units[named], return_index=True)
    touched = np.isin(units, found)
    entry[touched] = first[np.searchsorted(found, units[touched])]
    entry[named] = np.arange(len(named))
    rows = np.flatnonzero(touched)
    return rows, entry[rows]


def first_of_each(units: AnyArray, order: IntArray) -> IntArray:
    """The positions of `order` without those whose unit came before.

    >>> first_of_each(np.array([7, 8, 7, 9]), np.array([2, 0, 3])).tolist()
    [2, 3]
    """
    return order[np.sort(np.unique(units[order], return_index=True)[1])]


def name_new(units: AnyArray, many: int) -> AnyArray:
    """Owners for so many new units: the next numbers, or texts that no unit has.

    >>> name_new(np.array([3, 5]), 2).tolist(), name_new(np.array(["new 1", "ann"]), 2).tolist()
    ([6, 7], ['new 2', 'new 3'])
    """
    if units.dtype.kind != "U":
        return np.asarray(int(units.max()) + 1 + np.arange(many))
    taken = {*units.tolist()}
    free = (name for i in range(1, len(taken) + many + 1) if (name := f"new {i}") not in taken)
    return np.array([next(free) for _ in range(many)])


def describe_units(units: AnyArray, name: str) -> str:
    """The units in words.

    >>> describe_units(np.array([1, 1, 2]), "user_id")
    'user_id: 2 units, 1 to 2 rows each'
    """
    sizes = count_rows_of(units)
    least, most = int(sizes.min()), int(sizes.max())
    each = f"{count(least)} to {count(most)} rows" if least < most else f"{count(least)} row{'s' * (least > 1)}"
    return f"{name}: {count(len(sizes))} unit{'s' * (len(sizes) > 1)}, {each} each"
