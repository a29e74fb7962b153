"""A rule for one coordinate among many, which a linear rule on all coordinates needs more draws to find."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, softmax

from mlaudit.classifiers._log_loss import sum_log_losses
from mlaudit.classifiers._scaling import location_scale, scale_robustly
from mlaudit.types.arrays import FloatArray, IntArray

_PRIOR = 0.1  # added to the variance, so that equal values are not distinguished by rounding
_SURE = 1e-12
_UNHEARD = 1e-15  # weight of a rule that changes no mean
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
        heard = np.flatnonzero(self.weights > _UNHEARD)
        u = _scale_and_clip(z[:, heard], self.center[heard], self.scale[heard])
        alone = expit(u * self.slopes[heard] + self.intercepts[heard])
        return np.asarray(logit(np.clip(alone @ self.weights[heard], _SURE, 1.0 - _SURE)))


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
        ones = (labels == 1).astype(float)
        n, n_one = len(ones), float(ones.sum())
        sums, sums_one, squares = u.sum(axis=0), ones @ u, np.square(u).sum(axis=0)
        one, zero = sums_one / n_one, (sums - sums_one) / (n - n_one)
        shift, middle = one - zero, (one + zero) / 2
        inside = squares - n_one * one**2 - (n - n_one) * zero**2
        width = (np.maximum(inside, 0.0) + _PRIOR) / n
        chance = width * (1 / n_one + 1 / (n - n_one))
        shrinkage = np.maximum(0.0, 1.0 - chance / np.maximum(shift**2, _SURE))
        slopes = shrinkage * shift / width
        intercepts = -slopes * middle
        # Two thirds of the columns of pure noise have no slope: their likelihood is that of coins.
        fit, told = np.full(len(slopes), -n * np.log(2.0)), np.flatnonzero(slopes)
        log_odds = u[:, told] * slopes[told] + intercepts[told]
        fit[told] = -sum_log_losses(log_odds, labels)
        return CoordinateScorer(center, scale, slopes, intercepts, np.asarray(softmax(fit)))


def _scale_and_clip(z: FloatArray, center: FloatArray, scale: FloatArray) -> FloatArray:
    return np.asarray(np.clip(scale_robustly(z, center, scale), -_FAR, _FAR))
