"""diffprivlib's GaussianNB with its own random numbers: the same seed, the same model."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled, inlined
from mlaudit.kernels.mt19937 import LENGTH, seed_at, shared_pool, uniform
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.samplers import _gaussian_nb
from mlaudit.samplers._gaussian_nb import SMOOTHING, ClassSums, add_geometric_noise, empty_summaries, repair_counts
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset

_MOST = 100_000  # the library never tries more at once


@dataclass(frozen=True, eq=False)
class Mirror:
    """Repeats the library's trainings of one dataset."""

    sums: ClassSums
    counts: bool

    def __call__(self, seed: int, spawn_key: tuple[int, ...], indices: IntArray) -> FloatArray:
        """The summary of the library's fit with the seed of each index."""
        out = empty_summaries(len(indices), self.sums, counts=self.counts)
        _draw_models(*shared_pool(seed, spawn_key), indices, self.sums, out)
        return out


def prepare(mechanism: NaiveBayes, data: Dataset, target: FloatArray | None) -> Mirror:
    """Everything that does not change between trainings."""
    return Mirror(_gaussian_nb.sum_classes(mechanism, data), mechanism.counts)


@inlined
def _laplace(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Laplace noise from four uniform numbers (Holohan and Braghin 2021), against attacks on floating point."""
    return math.log(1 - a) * math.cos(math.pi * b) + math.log(1 - c) * math.cos(math.pi * d)


@compiled
def _draw_within(state: Any, value: Any, scale: Any, top: Any) -> Any:
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
def _draw_models(pool: Any, constant: Any, indices: Any, sums_of_classes: Any, out: Any) -> None:
    # Taken out of the tuple once: inside the loop that would count references to the arrays.
    epsilon, rows, sizes, sums, mean, squares, low, high, scale = sums_of_classes
    classes, d = sums.shape
    state, noisy, order = np.empty(LENGTH, np.uint32), np.empty(classes, np.int64), np.empty(classes, np.int64)
    local = epsilon / 3 / d
    for row in range(len(indices)):
        seed_at(pool, constant, indices[row], state)
        for k in range(classes):
            noisy[k] = add_geometric_noise(uniform(state), sizes[k], epsilon / 3, rows)
        repair_counts(noisy, order, rows)
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
                square = _draw_within(state, value, sensitivity * scale[n], top)
                out[row, k * d + j] = prior * mu
                out[row, (classes + k) * d + j] = prior * (square / n + SMOOTHING)
        for k in range(out.shape[1] - (2 * d + 1) * classes):
            out[row, (2 * d + 1) * classes + k] = noisy[k]


SAMPLER = SamplerSpec(prepare=prepare, stands_for={"diffprivlib": "0.6.6"}, refusal=_gaussian_nb.refusal)
