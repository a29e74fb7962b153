"""diffprivlib's GaussianNB with its own random numbers: the same seed, the same model."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.samplers import _gaussian_nb
from mlaudit.samplers._gaussian_nb import SMOOTHING, Shared, geometric, repaired, room_for
from mlaudit.samplers._mt19937 import LENGTH, pool_after, seeded_at, uniform
from mlaudit.samplers._numba import compiled, inlined
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset

STANDS_FOR = {"diffprivlib": "0.6.6"}
refusal = _gaussian_nb.refusal
_MOST = 100_000  # the library never tries more at once


@dataclass(frozen=True, eq=False)
class Mirror:
    """Repeats the library's trainings of one dataset."""

    of: Shared
    counts: bool

    def __call__(self, seed: int, words: tuple[int, ...], places: IntArray) -> FloatArray:
        """The summary of the library's fit with the seed of each place."""
        out = room_for(len(places), self.of, counts=self.counts)
        _drawn(*pool_after(seed, words), places, self.of, out)
        return out


def prepared(mechanism: NaiveBayes, data: Dataset, target: FloatArray | None) -> Mirror:
    """Everything that does not change between trainings."""
    return Mirror(_gaussian_nb.shared(mechanism, data), mechanism.counts)


@inlined
def _laplace(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Laplace noise from four uniform numbers (Holohan and Braghin 2021), against attacks on floating point."""
    return math.log(1 - a) * math.cos(math.pi * b) + math.log(1 - c) * math.cos(math.pi * d)


@compiled
def _within(state: Any, value: Any, scale: Any, top: Any) -> Any:
    """Bounded-domain noise: 1, 2, 4 … tries at once, of which the first inside [0, top] is taken."""
    tries = 1
    while True:
        u = np.empty(4 * tries)
        for i in range(4 * tries):
            u[i] = uniform(state)
        for i in range(tries):
            noisy = value + scale * _laplace(u[i], u[tries + i], u[2 * tries + i], u[3 * tries + i])
            if noisy >= 0 and noisy <= top:
                return noisy
        tries = min(_MOST, 2 * tries)


@compiled
def _drawn(pool: Any, constant: Any, places: Any, of: Any, out: Any) -> None:
    # Taken out of the tuple once: inside the loop that would count references to the arrays.
    epsilon, rows, sizes, sums, mean, squares, low, high, scale = of
    classes, d = sums.shape
    state, noisy, order = np.empty(LENGTH, np.uint32), np.empty(classes, np.int64), np.empty(classes, np.int64)
    local = epsilon / 3 / d
    for row in range(len(places)):
        seeded_at(pool, constant, places[row], state)
        for k in range(classes):
            noisy[k] = geometric(uniform(state), sizes[k], epsilon / 3, rows)
        repaired(noisy, order, rows)
        for k in range(classes):
            n = noisy[k]
            prior = n / rows
            out[row, 2 * classes * d + k] = prior
            for j in range(d):
                first, second, third, fourth = uniform(state), uniform(state), uniform(state), uniform(state)
                total = sums[k, j] - (high[j] - low[j]) / local * _laplace(first, second, third, fourth)
                mu = min(max(total, low[j] * n), high[j] * n) / n
                sensitivity = max(mu - low[j], high[j] - mu) ** 2
                top = sensitivity * n
                value = max(min(squares[k, j] + sizes[k] * (mean[k, j] - mu) ** 2, top), 0.0)
                square = _within(state, value, sensitivity * scale[n], top)
                out[row, k * d + j] = prior * mu
                out[row, (classes + k) * d + j] = prior * (square / n + SMOOTHING)
        for k in range(out.shape[1] - (2 * d + 1) * classes):
            out[row, (2 * d + 1) * classes + k] = noisy[k]
