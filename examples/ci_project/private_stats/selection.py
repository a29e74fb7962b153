"""Choosing one of several answers: the most common item, the first large count, a median, a quantile."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

EPSILON = 1.0
_ITEMS = 4
_GRID = np.linspace(0.0, 1.0, 11)
_THRESHOLD = 2.0
_QUANTILE = 0.75


def most_common_item(data: Any, rng: Generator) -> int:
    """The exponential mechanism: P(item) ∝ e^{ε count / 2}."""
    return _choose(rng, EPSILON * _count_items(data) / 2)


def most_common_by_flips(data: Any, rng: Generator) -> int:
    """Permute-and-flip (McKenna and Sheldon 2020): try items in random order until a coin accepts one."""
    counts = _count_items(data)
    chances = np.exp(EPSILON * (counts - counts.max()) / 2)
    return next(int(item) for item in rng.permutation(_ITEMS) if rng.random() < chances[item])


def most_common_by_noise(data: Any, rng: Generator) -> int:
    """Report noisy max: the item with the largest noisy count. Only its index is released."""
    return int(np.argmax(_count_items(data) + rng.laplace(scale=2 / EPSILON, size=_ITEMS)))


def first_large_count(data: Any, rng: Generator) -> int:
    """Sparse vector: the first item whose noisy count reaches a noisy threshold, or −1 if there is none."""
    threshold = _THRESHOLD + rng.laplace(scale=2 / EPSILON)
    reached = _count_items(data) + rng.laplace(scale=4 / EPSILON, size=_ITEMS) >= threshold
    return int(np.argmax(reached)) if reached.any() else -1


def noisy_median(data: Any, rng: Generator) -> float:
    """A median on a grid, by the exponential mechanism: the utility is minus the distance in ranks."""
    values = np.clip(data.X[:, 0], 0.0, 1.0)
    ranks = np.searchsorted(np.sort(values), _GRID)
    return float(_GRID[_choose(rng, -EPSILON * np.abs(ranks - len(values) / 2) / 2)])


def noisy_quantile(data: Any, rng: Generator) -> float:
    """The upper quartile (Smith 2011): choose a gap between values by its rank and width, then a point in it."""
    values = np.sort(np.clip(data.X[:, 0], 0.0, 1.0))
    ends = np.concatenate([[0.0], values, [1.0]])
    utility = -np.abs(np.arange(len(values) + 1) - _QUANTILE * len(values))
    with np.errstate(divide="ignore"):
        widths = np.log(np.diff(ends))
    gap = _choose(rng, EPSILON * utility / 2 + widths)
    return float(rng.uniform(ends[gap], ends[gap + 1]))


def _count_items(data: Any) -> NDArray[np.int64]:
    """How often each item occurs; other numbers count as the nearest item."""
    items = np.clip(np.rint(data.X[:, 0]), 0, _ITEMS - 1).astype(int)
    return np.bincount(items, minlength=_ITEMS)


def _choose(rng: Generator, scores: NDArray[np.float64]) -> int:
    """An index, with probability ∝ e^score."""
    weights = np.exp(scores - scores.max())
    return int(rng.choice(len(weights), p=weights / weights.sum()))
