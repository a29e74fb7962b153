"""Sums and means. Every row is clipped to the range or to the norm that the mechanism declares."""

from math import log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

EPSILON = 1.0
GAUSSIAN_EPSILON, GAUSSIAN_DELTA = 0.9, 1e-3  # the classical calibration needs ε < 1
GAUSSIAN_SCALE = sqrt(2 * log(1.25 / GAUSSIAN_DELTA)) / GAUSSIAN_EPSILON
_SNAPPING_BOUND = 64.0  # the released sum lies between −64 and 64


def clipped_sum(data: Any, rng: Generator) -> float:
    """The sum of values between 0 and 1, with Laplace noise of scale 1/ε."""
    return float(np.clip(data.X[:, 0], 0.0, 1.0).sum() + rng.laplace(scale=1 / EPSILON))


def clipped_mean(data: Any, rng: Generator) -> float:
    """The mean of values between 0 and 1, with Laplace noise of scale 1/(nε)."""
    values = np.clip(data.X[:, 0], 0.0, 1.0)
    return float(values.mean() + rng.laplace(scale=1 / (len(values) * EPSILON)))


def gaussian_sum(data: Any, rng: Generator) -> float:
    """The sum of values between 0 and 1, with Gaussian noise for (ε, δ)-differential privacy."""
    return float(np.clip(data.X[:, 0], 0.0, 1.0).sum() + rng.normal(scale=GAUSSIAN_SCALE))


def snapped_sum(data: Any, rng: Generator) -> float:
    """The sum with Mironov's snapping mechanism (2012): the last bits of the output reveal nothing."""
    scale = (1 + 2.0**-40) / EPSILON  # a little more noise pays for the rounding of the logarithm
    grid = 2.0 ** np.ceil(np.log2(scale))
    value = np.clip(np.clip(data.X[:, 0], 0.0, 1.0).sum(), -_SNAPPING_BOUND, _SNAPPING_BOUND)
    noisy = value + scale * rng.choice([-1.0, 1.0]) * np.log(1.0 - rng.random())
    return float(np.clip(grid * np.round(noisy / grid), -_SNAPPING_BOUND, _SNAPPING_BOUND))


def vector_sum(data: Any, rng: Generator) -> NDArray[np.float64]:
    """The sum of vectors of norm at most 1, with noise of density ∝ e^{−ε|b|/2} (a replaced row moves it by 2)."""
    total = clip_norm(data.X).sum(axis=0)
    direction = rng.normal(size=len(total))
    length = rng.gamma(len(total), 2 / EPSILON)
    return np.asarray(total + length * direction / np.linalg.norm(direction))


def clip_norm(rows: NDArray[np.float64], most: float = 1.0) -> NDArray[np.float64]:
    """Shorten every row that is longer than `most`."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows * np.minimum(1.0, most / np.maximum(norms, np.finfo(float).tiny)))
