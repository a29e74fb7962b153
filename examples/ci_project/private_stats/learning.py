"""Learning: one step of gradient descent, and logistic regression with output perturbation."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit

from private_stats.sums import GAUSSIAN_SCALE, clip_norm

EPSILON = 1.0
_RIDGE = 0.1
_NEWTON_STEPS = 12  # the objective is strongly convex and the rows are short: the rest is far below the noise


def gradient_step(data: Any, rng: Generator) -> NDArray[np.float64]:
    """One noisy step of least squares from zero; each row's gradient is clipped to norm 1."""
    X, y = clip_norm(data.X), np.clip(np.asarray(data.y, dtype=float), 0.0, 1.0)
    gradients = clip_norm(-X * y[:, None])
    noise = rng.normal(scale=2 * GAUSSIAN_SCALE, size=X.shape[1])  # a replaced row moves the sum by at most 2
    return np.asarray(-(gradients.sum(axis=0) + noise) / len(X))


def logistic_regression(data: Any, rng: Generator) -> NDArray[np.float64]:
    """Output perturbation (Chaudhuri, Monteleoni and Sarwate 2011): the sensitivity is 2 / (n · ridge)."""
    X, sign = clip_norm(data.X), np.where(np.asarray(data.y, dtype=float) > 0.5, 1.0, -1.0)
    weights = np.zeros(X.shape[1])
    for _ in range(_NEWTON_STEPS):
        wrong = expit(-sign * (X @ weights))
        gradient = -(X * (sign * wrong)[:, None]).mean(axis=0) + _RIDGE * weights
        curvature = (X.T * (wrong * (1 - wrong))) @ X / len(X) + _RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(curvature, gradient)
    direction = rng.normal(size=len(weights))
    length = rng.gamma(len(weights), 2 / (len(X) * _RIDGE * EPSILON))
    return np.asarray(weights + length * direction / np.linalg.norm(direction))
