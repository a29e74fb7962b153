"""Many noisy Naive Bayes models at once: diffprivlib's noise on sums that are computed once."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.kernels.jit import compiled
from mlaudit.kernels.xoshiro import key_of, laplace, quantile, seed_stream, uniform
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.samplers import _gaussian_nb
from mlaudit.samplers._gaussian_nb import SMOOTHING, ClassSums, add_geometric_noise, empty_summaries, repair_counts
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Batch:
    """Draws summaries of one dataset's models."""

    sums: ClassSums
    counts: bool

    def __call__(self, n: int, seed: SeedSequence) -> FloatArray:
        """`n` summaries, as rows."""
        out = empty_summaries(n, self.sums, counts=self.counts)
        _draw_models(key_of(seed), self.sums, out)
        return out


def prepare(mechanism: NaiveBayes, data: Dataset, target: FloatArray | None) -> Batch:
    """Everything that does not change between trainings."""
    return Batch(_gaussian_nb.sum_classes(mechanism, data), mechanism.counts)


@compiled
def _draw_models(key: Any, sums_of_classes: Any, out: Any) -> None:
    # Taken out of the tuple once: inside the loop that would count references to the arrays.
    epsilon, rows, sizes, sums, mean, squares, low, high, scale = sums_of_classes
    classes, d = sums.shape
    state, noisy, order = np.empty(4, np.uint64), np.empty(classes, np.int64), np.empty(classes, np.int64)
    spread, share = (high - low) / (epsilon / 3 / d), 1.0 / rows
    for row in range(len(out)):
        seed_stream(key, row, state)
        for k in range(classes):
            noisy[k] = add_geometric_noise(uniform(state), sizes[k], epsilon / 3, rows)
        repair_counts(noisy, order, rows)
        for k in range(classes):
            n = noisy[k]
            prior = n / rows
            out[row, 2 * classes * d + k] = prior
            for j in range(d):
                mu = min(max(sums[k, j] + laplace(state) * spread[j], low[j] * n), high[j] * n) / n
                reach, away = max(mu - low[j], high[j] - mu), mean[k, j] - mu
                noise = reach * reach * scale[n]
                # Laplace noise on condition that the sum stays in [0, top], by its inverse distribution function, in
                # units of the noise.
                top = n / scale[n]
                value = min((squares[k, j] + sizes[k] * away * away) / noise, top)
                below = 0.5 * math.exp(-value)
                u = below + uniform(state) * (1.0 - 0.5 * math.exp(value - top) - below)
                out[row, k * d + j] = prior * mu
                out[row, (classes + k) * d + j] = (value + quantile(u)) * (noise * share) + prior * SMOOTHING
        for k in range(out.shape[1] - (2 * d + 1) * classes):
            out[row, (2 * d + 1) * classes + k] = noisy[k]


SAMPLER = SamplerSpec(prepare=prepare, stands_for={"diffprivlib": "0.6.6"}, refusal=_gaussian_nb.refusal)
