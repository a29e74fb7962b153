"""The column of a table that names the owner of each row."""

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator, default_rng

from mlaudit.datasets._table import MISSING, Text
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.arrays import AnyArray, IntArray
from mlaudit.types.numbers import plural
from mlaudit.types.preparation import Preparation
from mlaudit.types.units import count_rows_of, number_units


def read_owners(name: str, columns: Mapping[str, Text], target: str | None, how: Preparation) -> AnyArray | None:
    """The owner of each row of the table `name` as text; None if no column is named.

    Raises:
        UnknownName: If the table has no such column.
        InvalidInput: If the column is the label, is to be kept as a feature, or lacks a value.
    """
    if how.unit is None:
        return None
    if how.unit not in columns:
        raise UnknownName(f"column of {name}", how.unit, [column for column in columns if column != target])
    if how.unit == target:
        raise InvalidInput(
            f"--unit must name a column besides the label, got the label column {how.unit!r}; name another column, "
            "or another label with --target"
        )
    asked = "--columns" if how.unit in (how.columns or ()) else "--drop" if how.unit in how.drop else ""
    if asked:
        raise InvalidInput(
            f"--unit names the owners of rows, no feature, got {how.unit!r} in {asked} as well; leave it out"
        )
    owners = columns[how.unit]
    missing = int(np.isin(owners, MISSING).sum())
    if missing:
        raise InvalidInput(
            f"--unit must name the owner of every row, got {plural(missing, 'row')} without a value in {how.unit!r}; "
            "give these rows an owner, or remove them from the file"
        )
    return owners


def draw_rows(kept: IntArray, owners: AnyArray | None, how: Preparation) -> IntArray:
    """The most rows that the preparation keeps, drawn by its seed, in order; with owners, rows of whole units."""
    rng = default_rng(how.seed)
    if owners is None:
        return np.sort(rng.permutation(kept)[: how.rows])
    return np.sort(draw_units(owners, kept, how.rows, rng))


def draw_units(owners: AnyArray, kept: IntArray, most: int, rng: Generator) -> IntArray:
    """Rows of whole units, at most so many: units in random order, without those that do not fit any more.

    Raises:
        InvalidInput: If not even the smallest unit fits.

    Example:
        >>> drawn = draw_units(np.array(["a", "a", "b", "c"]), np.arange(4), 3, np.random.default_rng(0))
        >>> len(drawn) <= 3
        True
    """
    units = number_units(owners[kept])
    sizes = count_rows_of(owners[kept])
    taken, left = np.zeros(len(sizes), dtype=bool), most
    for unit in rng.permutation(len(sizes)):
        if sizes[unit] <= left:
            taken[unit] = True
            left -= int(sizes[unit])
    if not taken.any():
        raise InvalidInput(
            f"--max-rows must leave room for one unit, got {most} and units of {int(sizes.min())} rows or more; "
            "allow more rows"
        )
    return kept[taken[units]]
