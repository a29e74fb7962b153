"""A rule for one coordinate among many, which a linear rule on all coordinates needs more draws to find."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, softmax

from mlaudit.classifiers._scaling import location_scale, scale_robustly
from mlaudit.types.arrays import FloatArray, IntArray

_PRIOR = 0.1  # added to the variance, so that equal values are not distinguished by rounding
_SURE = 1e-12
_FAR = 6.0  # interquartile ranges at which values are clipped, since outliers distort a mean


@dataclass(frozen=True, eq=False)
class CoordinateScorer:
    """The log-odds of a weighted mean over rules for one coordinate each."""

    center: FloatArray
    scale: FloatArray
    slopes: FloatArray
    intercepts: FloatArray
    weights: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        alone = expit(_scale_and_clip(z, self.center, self.scale) * self.slopes + self.intercepts)
        return np.asarray(logit(np.clip(alone @ self.weights, _SURE, 1.0 - _SURE)))


@dataclass(frozen=True)
class Coordinate:
    """A linear rule for each coordinate, weighted by the likelihood of the labels.

    >>> z = np.array([[0.0, 3.0], [0.2, 1.0], [0.9, 1.0], [1.1, 3.0]])
    >>> bool((Coordinate().fit(z, np.array([0, 0, 1, 1]))(z) > 0).tolist() == [False, False, True, True])
    True
    """

    def fit(self, z: FloatArray, labels: IntArray) -> CoordinateScorer:
        """Fit two normals of equal variance for each coordinate, with the difference of means shrunk by its noise."""
        center, scale = location_scale(z)
        u = _scale_and_clip(z, center, scale)
        one, zero = u[labels == 1], u[labels == 0]
        shift, middle = one.mean(axis=0) - zero.mean(axis=0), (one.mean(axis=0) + zero.mean(axis=0)) / 2
        width = (len(one) * one.var(axis=0) + len(zero) * zero.var(axis=0) + _PRIOR) / len(u)
        chance = width * (1 / len(one) + 1 / len(zero))
        shrinkage = np.maximum(0.0, 1.0 - chance / np.maximum(shift**2, _SURE))
        slopes = shrinkage * shift / width
        intercepts = -slopes * middle
        fit = -np.logaddexp(0.0, np.where(labels[:, None] == 1, -1.0, 1.0) * (u * slopes + intercepts)).sum(axis=0)
        return CoordinateScorer(center, scale, slopes, intercepts, np.asarray(softmax(fit)))


def _scale_and_clip(z: FloatArray, center: FloatArray, scale: FloatArray) -> FloatArray:
    return np.asarray(np.clip(scale_robustly(z, center, scale), -_FAR, _FAR))
