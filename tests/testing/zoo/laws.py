"""Exact laws of mechanisms' outputs on a pair: sorted into cells, with the cells' probabilities on D and on D′."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from numpy.typing import ArrayLike
from scipy.stats import binom

from mlaudit.adapters.function import Function
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

Cdf = Callable[[FloatArray], FloatArray]
Outputs = list[FloatArray]
Cell = Callable[[Outputs], IntArray]
Few = dict[tuple[float, ...], float]  # outputs, and their probabilities

_NOTHING = 1e-25


class Law(NamedTuple):
    """Which cell an output falls into, and how often."""

    cell: Cell
    base: FloatArray
    neighbour: FloatArray

    @property
    def loss(self) -> float:
        """The largest |ln ratio| of any cell that numerics can tell from nothing."""
        there = np.maximum(self.base, self.neighbour) > _NOTHING
        with np.errstate(divide="ignore"):
            return float(np.abs(np.log(self.base[there]) - np.log(self.neighbour[there])).max())

    def delta(self, epsilon: float) -> float:
        """The least δ at that ε, for these cells; of a symmetric law, whose other direction is the same."""
        return float(np.maximum(self.base - np.exp(epsilon) * self.neighbour, 0.0).sum())


def on_line(base: Cdf, neighbour: Cdf, edges: Sequence[float] | FloatArray) -> Law:
    """A law of one number, cut at the edges."""
    cuts = np.asarray(edges, dtype=float)

    def cell(outputs: Outputs) -> IntArray:
        return np.searchsorted(cuts, [float(z[0]) for z in outputs])

    return Law(cell, *(np.diff(np.concatenate([[0.0], cdf(cuts), [1.0]])) for cdf in (base, neighbour)))


def listed(base: Few, neighbour: Few) -> Law:
    """A law of few outputs, each a cell."""
    places = {z: i for i, z in enumerate(sorted({*base, *neighbour}))}

    def cell(outputs: Outputs) -> IntArray:
        return np.array([places[tuple(z.tolist())] for z in outputs])

    return Law(cell, *(np.array([law.get(z, 0.0) for z in places]) for law in (base, neighbour)))


def numbers(law: dict[float, float]) -> Few:
    """A law of outputs that are one number each.

    >>> numbers({0.0: 1.0})
    {(0.0,): 1.0}
    """
    return {(z,): float(p) for z, p in law.items()}


def read_by(law: Law, read: Callable[[FloatArray], ArrayLike | None]) -> Law:
    """A law of what is read off the output; outputs that say nothing are left out."""

    def cell(outputs: Outputs) -> IntArray:
        found = [value for z in outputs if (value := read(z)) is not None]
        return law.cell([np.atleast_1d(np.asarray(value, dtype=float)) for value in found])

    return law._replace(cell=cell)


def laplace_cdf(x: FloatArray, scale: float = 1.0) -> FloatArray:
    tail = 0.5 * np.exp(-np.abs(x) / scale)
    return np.where(x < 0, tail, 1.0 - tail)


def laplace_at(centre: float, scale: float) -> Cdf:
    return lambda x: laplace_cdf(x - centre, scale)


def geometric_at(centre: float, epsilon: float, step: float = 1.0) -> Cdf:
    """Two-sided geometric noise in steps; to be cut between steps only."""

    def cdf(x: FloatArray) -> FloatArray:
        j = np.floor((x - centre) / step)
        stop = 1.0 + np.exp(-epsilon)
        return np.asarray(np.where(j < 0, np.exp(epsilon * j) / stop, 1.0 - np.exp(-epsilon * (j + 1)) / stop))

    return cdf


def clipped(cdf: Cdf, low: float, high: float) -> Cdf:
    return lambda x: np.asarray(np.where(x < low, 0.0, np.where(x >= high, 1.0, cdf(x))))


def outputs_of(mechanism: Function, data: Dataset, n: int, seed: int) -> Outputs:
    rng = default_rng(seed)
    return [np.asarray(mechanism(data, rng), dtype=float).ravel() for _ in range(n)]


def agreement(law: Law, mechanism: Function, pair: Pair, n: int = 3000) -> float:
    """The p-value of what the mechanism really returns under its law, both sides together: the smaller, doubled.

    Under the law it is at most α with probability at most α, for every α and however rare the cells are.
    """
    sides = ((pair.base, law.base, 1), (pair.neighbour, law.neighbour, 2))
    return 2 * min(_fit(law.cell(outputs_of(mechanism, data, n, seed)), p) for data, p, seed in sides)


def _fit(cells: IntArray, p: FloatArray) -> float:
    """The p-value of the counts of all cells, and of all cells up to each: binomial tails, Bonferroni over them."""
    seen, n = np.bincount(cells, minlength=len(p)), len(cells)
    counts = np.concatenate([seen, np.cumsum(seen)[:-1]])
    # Sums of probabilities may end a few units in the last place above 1.
    chances = np.clip(np.concatenate([p, np.cumsum(p)[:-1]]), 0.0, 1.0)
    tails = np.minimum(binom.cdf(counts, n, chances), binom.sf(counts - 1, n, chances))
    return float(min(1.0, 2 * len(counts) * tails.min()))
