"""Rows at the corners and bounds of the domain's box, with every label."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from mlaudit.search.move import Move, Setting
from mlaudit.search.region import extreme_rows, labels_of, region_of
from mlaudit.search.rows import move_to_points
from mlaudit.types.arrays import FloatArray
from mlaudit.types.domain import Box

_ALL = 3  # columns up to which every corner is tried
_COLUMNS = 8


def corners(setting: Setting) -> Iterator[Move]:
    """The two opposite corners, those next to them, and the mean row with one column at a bound."""
    if not isinstance(region_of(setting.data), Box):
        return
    points = _points(*extreme_rows(setting.data), setting.data.finite.mean(axis=0))
    yield from move_to_points(setting, ((name, x, label) for name, x in points for label in labels_of(setting.data)))


def _points(low: FloatArray, high: FloatArray, mean: FloatArray) -> Iterator[tuple[str, FloatArray]]:
    d = len(low)
    yield "the upper corner", high
    if d > 1:  # where columns compete, one must rise alone; the lower corner often only mirrors the upper
        yield "every other column at the upper bound", np.where(np.arange(d) % 2 == 0, high, low)
    yield "the lower corner", low
    # The digits of a column's number: of any two columns, one is at each bound in some of these rows.
    for digit in range(1, (d - 1).bit_length() if d > _ALL else 0):
        yield f"the upper bound by digit {digit} of the column", np.where(np.arange(d) >> digit & 1, high, low)
    if 1 < d <= _ALL:
        for bits in list(product((1, 0), repeat=d))[1:-1]:
            yield f"the corner {''.join(map(str, bits))}", np.where(bits, high, low)
    if d > _ALL:
        for column in range(min(d, _COLUMNS)):
            yield f"column {column} at the upper bound, the others at the lower", _replace_column(low, column, high)
            yield f"column {column} at the lower bound, the others at the upper", _replace_column(high, column, low)
    for column in range(min(d, _COLUMNS) if d > 1 else 0):
        yield f"the mean with column {column} at the upper bound", _replace_column(mean, column, high)
        yield f"the mean with column {column} at the lower bound", _replace_column(mean, column, low)


def _replace_column(x: FloatArray, column: int, other: FloatArray) -> FloatArray:
    return np.where(np.arange(len(x)) == column, other, x)
