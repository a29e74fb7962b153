"""Many noisy Naive Bayes models at once: diffprivlib's noise on sums that are computed once."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.samplers import _gaussian_nb
from mlaudit.samplers._gaussian_nb import SMOOTHING, Shared, geometric, repaired, room_for
from mlaudit.samplers._numba import compiled
from mlaudit.samplers._xoshiro import key_of, laplace, seeded, uniform
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset

STANDS_FOR = {"diffprivlib": "0.6.6"}
refusal = _gaussian_nb.refusal


@dataclass(frozen=True, eq=False)
class Batch:
    """Draws summaries of one dataset's models."""

    of: Shared
    counts: bool

    def __call__(self, n: int, seed: SeedSequence) -> FloatArray:
        """`n` summaries, as rows."""
        out = room_for(n, self.of, counts=self.counts)
        _drawn(key_of(seed), self.of, out)
        return out


def prepared(mechanism: NaiveBayes, data: Dataset, target: FloatArray | None) -> Batch:
    """Everything that does not change between trainings."""
    return Batch(_gaussian_nb.shared(mechanism, data), mechanism.counts)


@compiled
def _drawn(key: Any, of: Any, out: Any) -> None:
    classes, d = of.sums.shape
    state, noisy, order = np.empty(4, np.uint64), np.empty(classes, np.int64), np.empty(classes, np.int64)
    spread = (of.high - of.low) / (of.epsilon / 3 / d)
    for row in range(len(out)):
        seeded(key, row, state)
        for k in range(classes):
            noisy[k] = geometric(uniform(state), of.sizes[k], of.epsilon / 3, of.rows)
        repaired(noisy, order, of.rows)
        for k in range(classes):
            n = noisy[k]
            prior = n / of.rows
            out[row, 2 * classes * d + k] = prior
            for j in range(d):
                mu = min(max(of.sums[k, j] + laplace(state) * spread[j], of.low[j] * n), of.high[j] * n) / n
                reach, away = max(mu - of.low[j], of.high[j] - mu), of.mean[k, j] - mu
                noise = reach * reach * of.scale[n]
                # Laplace noise on condition that the sum stays in [0, top], by its inverse distribution function, in
                # units of the noise.
                top = n / of.scale[n]
                value = min((of.squares[k, j] + of.sizes[k] * away * away) / noise, top)
                below = 0.5 * math.exp(-value)
                u = below + uniform(state) * (1.0 - 0.5 * math.exp(value - top) - below)
                square = value + (math.log(2.0 * u) if u < 0.5 else -math.log(2.0 * (1.0 - u)))
                out[row, k * d + j] = prior * mu
                out[row, (classes + k) * d + j] = square * noise / of.rows + prior * SMOOTHING
        for k in range(out.shape[1] - (2 * d + 1) * classes):
            out[row, (2 * d + 1) * classes + k] = noisy[k]
