"""Counts and tables of counts. Every value is clipped to the range that the mechanism declares."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

EPSILON = 1.0
_BINS = np.linspace(0.0, 1.0, 5)


def count_ones(data: Any, rng: Generator) -> float:
    """Count the rows that are 1, with Laplace noise of scale 1/ε."""
    return float(np.sum(data.X[:, 0] >= 1.0) + rng.laplace(scale=1 / EPSILON))


def count_above_half(data: Any, rng: Generator) -> int:
    """Count the rows above one half, with two-sided geometric noise: the output is a whole number."""
    return int(np.sum(data.X[:, 0] > 0.5)) + _geometric(rng, 1 / EPSILON)


def count_by_staircase(data: Any, rng: Generator) -> float:
    """Count the rows that are 1, with staircase noise (Geng and Viswanath 2014)."""
    decay = np.exp(-EPSILON)
    share = 1 / (1 + np.exp(EPSILON / 2))  # the width of the high part of a step
    sign = rng.choice([-1.0, 1.0])
    step = rng.geometric(1 - decay) - 1
    high = rng.random() < share / (share + (1 - share) * decay)
    place = share * rng.random() if high else share + (1 - share) * rng.random()
    return float(np.sum(data.X[:, 0] >= 1.0) + sign * (step + place))


def histogram(data: Any, rng: Generator) -> NDArray[np.float64]:
    """Four bins with Laplace noise. A replaced row changes two bins by 1: the scale is 2/ε."""
    counts = np.histogram(np.clip(data.X[:, 0], 0.0, 1.0), bins=_BINS)[0]
    return np.asarray(counts + rng.laplace(scale=2 / EPSILON, size=len(counts)))


def contingency_table(data: Any, rng: Generator) -> NDArray[np.int64]:
    """Two yes-or-no columns, crossed: four counts with geometric noise for a sensitivity of 2."""
    yes = (data.X[:, :2] > 0.5).astype(int)
    counts = np.bincount(2 * yes[:, 0] + yes[:, 1], minlength=4)
    return np.asarray(counts + [_geometric(rng, 2 / EPSILON) for _ in counts])


def _geometric(rng: Generator, scale: float) -> int:
    """P(k) ∝ e^{−|k| / scale}: the difference of two geometric numbers."""
    first, second = rng.geometric(1 - np.exp(-1 / scale), size=2)
    return int(first - second)
