"""Robust scaling of outputs of any size."""

import numpy as np

from mlaudit.types.arrays import FloatArray

# Interquartile ranges beyond which values are scaled logarithmically: a learner may return 1e19.
_LINEAR = 5.0
_ENOUGH = 5000  # rows for location and scale


def location_scale(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the median and interquartile range of each coordinate.

    >>> location_scale(np.array([[0.0], [1.0], [2.0], [3.0], [1e9]]))
    (array([2.]), array([2.]))
    """
    z = z[:_ENOUGH]
    low, center, high = np.quantile(z, (0.25, 0.5, 0.75), axis=0)
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
    with np.errstate(over="ignore"):  # values near the largest float
        u = z - center
        u /= scale
    size = np.abs(u)
    far = size > _LINEAR
    if not far.any():
        return u
    if not np.isfinite(size[far]).all():
        u, size = np.nan_to_num(u), np.nan_to_num(size)
    u[far] = np.copysign(_LINEAR + np.log1p(size[far] - _LINEAR), u[far])
    return u
