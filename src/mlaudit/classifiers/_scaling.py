"""Robust scaling of outputs of any size."""

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.quantiles import find_quantiles

# Interquartile ranges beyond which values are scaled logarithmically: a learner may return 1e19.
_LINEAR = 5.0
_ENOUGH = 5000  # rows for location and scale
_AT_ONCE = 16_384  # numbers, which stay in the cache


def location_scale(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the median and interquartile range of each coordinate.

    >>> location_scale(np.array([[0.0], [1.0], [2.0], [3.0], [1e9]]))
    (array([2.]), array([2.]))
    """
    z = z[:_ENOUGH]
    low, center, high = find_quantiles(z, (0.25, 0.5, 0.75))
    spread = high - low
    # If most values are equal, the middle half does not show the scale of the rest.
    fallback = np.abs(z - center).mean(axis=0)
    scale = np.where(spread > 0, spread, fallback)
    return center, np.where(scale > 0, scale, 1.0)


def scale_robustly(z: FloatArray, center: FloatArray, scale: FloatArray) -> FloatArray:
    """Return (z − center)/scale, with large values scaled logarithmically.

    >>> scale_robustly(np.array([[1.0], [1e19]]), np.zeros(1), np.ones(1)).round(1).ravel()
    array([ 1. , 48.7])
    """
    out = np.empty(z.shape)
    rows = max(1, _AT_ONCE // max(1, z.shape[1]))
    for first in range(0, len(z), rows):
        u = out[first : first + rows]
        with np.errstate(over="ignore"):  # values near the largest float
            np.subtract(z[first : first + rows], center, out=u)
            u /= scale
        flat = u.reshape(-1)
        far = np.flatnonzero(~(np.abs(flat) <= _LINEAR))  # also what is not a number: an infinite scale
        if len(far):
            sizes = np.nan_to_num(np.abs(flat[far]))
            flat[far] = np.copysign(
                np.minimum(sizes, _LINEAR) + np.log1p(np.maximum(sizes - _LINEAR, 0.0)), flat[far]
            )
    return out
