"""Logistic regression on robustly scaled outputs: the sharpest where the evidence is a shift."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from mlaudit.types.arrays import FloatArray, IntArray

# Beyond so many interquartile ranges a value only grows with its logarithm: a learner may return 1e19.
_LINEAR = 5.0
_ENOUGH = 5000  # rows that tell location and scale


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Log-odds linear in the scaled coordinates."""

    center: FloatArray
    scale: FloatArray
    weights: FloatArray
    intercept: float

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        return np.asarray(_scaled(z, self.center, self.scale) @ self.weights + self.intercept)


@dataclass(frozen=True)
class Logistic:
    """L2-regularised logistic regression; `C` is the inverse strength, as in scikit-learn.

    >>> z = np.array([[0.0], [0.2], [0.9], [1.1]])
    >>> bool((Logistic().fit(z, np.array([0, 0, 1, 1]))(z) > 0).tolist() == [False, False, True, True])
    True
    """

    C: float = 10.0

    def fit(self, z: FloatArray, labels: IntArray) -> LinearScorer:
        """Scale by median and interquartile range, then fit by Newton's method."""
        center, scale = _location_scale(z)
        model = LogisticRegression(C=self.C, solver="newton-cholesky", tol=1e-6)
        model.fit(_scaled(z, center, scale), labels)
        return LinearScorer(center, scale, model.coef_[0], float(model.intercept_[0]))


def _location_scale(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    z = z[:_ENOUGH]
    low, center, high = np.quantile(z, (0.25, 0.5, 0.75), axis=0)
    spread = high - low
    # Most values equal: the middle half says nothing about the scale of the rest.
    fallback = np.abs(z - center).mean(axis=0)
    scale = np.where(spread > 0, spread, fallback)
    return center, np.where(scale > 0, scale, 1.0)


def _scaled(z: FloatArray, center: FloatArray, scale: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # values near the largest float
        u = np.nan_to_num((z - center) / scale)
    excess = np.maximum(np.abs(u) - _LINEAR, 0.0)
    if not excess.any():
        return u
    return np.asarray(np.clip(u, -_LINEAR, _LINEAR) + np.sign(u) * np.log1p(excess))
