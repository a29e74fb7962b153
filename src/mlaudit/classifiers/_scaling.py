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
        u = np.nan_to_num((z - center) / scale)
    excess = np.maximum(np.abs(u) - _LINEAR, 0.0)
    if not excess.any():
        return u
    return np.asarray(np.clip(u, -_LINEAR, _LINEAR) + np.sign(u) * np.log1p(excess))
