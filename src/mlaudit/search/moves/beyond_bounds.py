"""Rows outside the declared domain, if the learner promises to clip them by itself: does it?"""

from collections.abc import Iterator

import numpy as np

from mlaudit.search.move import Move, Setting
from mlaudit.search.region import extreme_rows, labels_of
from mlaudit.search.rows import Point, move_to_values
from mlaudit.types.arrays import FloatArray
from mlaudit.types.clipping import ClippingBall, ClippingBox, takes_any

_FAR = 1e3  # widths of the domain
_HUGE = 1e200  # its square is infinite


def beyond_bounds(setting: Setting) -> Iterator[Move]:
    """Every value in all columns, then in the first column alone, with every label; none without the promise."""
    data = setting.data
    if not isinstance(data.domain, ClippingBox | ClippingBall):
        return
    values = list(_values(*extreme_rows(data), takes_any=takes_any(data.domain)))
    alone = [(f"{name} in column 0", _first_only(x, data.X.mean(axis=0))) for name, x in values]
    points = [*values, *(alone if data.X.shape[1] > 1 else ())]
    made: Iterator[Point] = ((name, x, label) for name, x in points for label in labels_of(data))
    yield from move_to_values(setting, made)


def _values(low: FloatArray, high: FloatArray, *, takes_any: bool) -> Iterator[tuple[str, FloatArray]]:
    width = high - low
    if takes_any:
        yield "NaN", np.full(len(low), np.nan)
    yield "a width above the upper bound", high + width
    yield "far above the upper bound", high + _FAR * width
    if takes_any:
        yield "infinity", np.full(len(low), np.inf)
        yield "negative zero", np.full(len(low), -0.0)
    yield "a huge number", np.full(len(low), _HUGE)
    yield "a width below the lower bound", low - width
    yield "far below the lower bound", low - _FAR * width
    if takes_any:
        yield "minus infinity", np.full(len(low), -np.inf)


def _first_only(x: FloatArray, others: FloatArray) -> FloatArray:
    return np.where(np.arange(len(x)) == 0, x, others)
