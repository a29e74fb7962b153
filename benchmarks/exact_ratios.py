"""Learners whose exact log-likelihood ratio ln p(z | D)/p(z | D′) is known, for benchmarks/oracle.py."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit import Claim, Dataset, Pair
from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.attacks.influence import Influence
from mlaudit.datasets._load import load_data
from mlaudit.kernels.jit import compiled
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.samplers import logistic_output_batched, naive_bayes_batched
from mlaudit.samplers._gaussian_nb import SMOOTHING, ClassSums, repair_counts
from mlaudit.statistics.gaussian_dp import mu_of
from mlaudit.types.arrays import FloatArray

PAIR = Pair(Dataset([1.0]), Dataset([0.0]))
DELTA = 1e-5
ROWS = 4  # changed in the pairs of output perturbation
_EDGE = 1e-9  # relative distance from a bound within which a mean lies on it


@dataclass(frozen=True)
class Cell:
    """A learner, a pair, and the exact log-likelihood ratio of its outputs."""

    mechanism: Any
    pair: Pair
    ratio: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class VectorNoise:
    """Laplace or normal noise on `d` numbers; one record shifts the first `shifted` of them by 1."""

    epsilon: float
    d: int
    shifted: int
    delta: float = 0.0

    @property
    def claim(self) -> Claim:
        """Tight on PAIR."""
        return Claim(self.epsilon, self.delta)

    @property
    def scale(self) -> float:
        """Of the noise of each number."""
        if self.delta:
            return float(np.sqrt(self.shifted) / mu_of(self.epsilon, self.delta))
        return self.shifted / self.epsilon

    def domain(self, data: Dataset) -> None:
        """None declared: the pair is given."""

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        """One output."""
        return np.asarray(self.sample(data, None, 1, seed)[0])

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        """The output itself."""
        return model

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many outputs."""
        rng = default_rng(seed)
        z = rng.normal(0.0, self.scale, (n, self.d)) if self.delta else rng.laplace(0.0, self.scale, (n, self.d))
        z[:, : self.shifted] += data.X[0, 0]
        return z

    def ratio(self, z: FloatArray) -> FloatArray:
        """Exact, as D shifts by 1 and D′ does not."""
        told = z[:, : self.shifted]
        if self.delta:
            return np.asarray((told - 0.5).sum(axis=1) / self.scale**2)
        return np.asarray((np.abs(told) - np.abs(told - 1.0)).sum(axis=1) / self.scale)


@cache
def make_cell(name: str, epsilon: float) -> Cell:
    """The cell of that name: a learner and where its shift goes, or a learner and a dataset."""
    learner, *words = name.split()
    if learner in ("laplace", "gaussian"):
        where, d = words[0], int(words[1])
        noise = VectorNoise(epsilon, d, d if where == "spread" else 1, DELTA if learner == "gaussian" else 0.0)
        return Cell(noise, PAIR, noise.ratio)
    return {"logistic_output": _output_perturbation, "naive_bayes": _naive_bayes}[learner](words[0], epsilon)


def _output_perturbation(data_name: str, epsilon: float) -> Cell:
    mechanism = LogisticOutput(epsilon)
    data = load_data(data_name)
    pair = Influence()(mechanism, data.within(mechanism.domain(data)), ROWS, default_rng(0))
    one, other = (logistic_output_batched.prepare(mechanism, side, None) for side in (pair.base, pair.neighbour))

    def ratio(z: FloatArray) -> FloatArray:
        far, near = (np.linalg.norm(z - batch.center, axis=1) for batch in (other, one))
        return np.asarray((far - near) / one.scale)

    return Cell(mechanism, pair, ratio)


def _naive_bayes(data_name: str, epsilon: float) -> Cell:
    mechanism = NaiveBayes(epsilon)
    data = load_data(data_name)
    pair = CornerFlip()(mechanism, data.within(mechanism.domain(data)), 1, default_rng(0))
    sides = [naive_bayes_batched.prepare(mechanism, side, None).sums for side in (pair.base, pair.neighbour)]
    laws = [_log_count_law(sums) for sums in sides]

    def ratio(z: FloatArray) -> FloatArray:
        one, other = (_log_density(sums, law, z) for sums, law in zip(sides, laws, strict=True))
        return np.asarray(one - other)

    return Cell(mechanism, pair, ratio)


def _log_density(sums: ClassSums, law: FloatArray, z: FloatArray) -> FloatArray:
    """The log density of a summary, up to terms that D and D′ share."""
    classes, d = sums.sums.shape
    priors = z[:, 2 * classes * d : 2 * classes * d + classes]
    counts = np.rint(priors * sums.rows).astype(int)
    total = law[counts[:, 0]]
    for k in range(classes):
        n, prior = counts[:, [k]], priors[:, [k]]
        mean = z[:, k * d : (k + 1) * d] / prior
        variance = z[:, (classes + k) * d : (classes + k + 1) * d] / prior
        total = total + _log_means(sums, k, n, mean) + _log_variances(sums, k, n, mean, variance)
    return np.asarray(total)


def _log_means(sums: ClassSums, k: int, n: Any, mean: FloatArray) -> FloatArray:
    """Laplace noise on a sum, which is then clipped: an atom at either bound."""
    d = sums.sums.shape[1]
    spread = (sums.high - sums.low) / (sums.epsilon / 3 / d)
    edge = _EDGE * (sums.high - sums.low)
    low, high, at = ((bound * n - sums.sums[k]) / spread for bound in (sums.low, sums.high, mean))
    inside = np.where(mean >= sums.high - edge, _log_laplace_below(-high), -np.abs(at))
    return np.asarray(np.where(mean <= sums.low + edge, _log_laplace_below(low), inside).sum(axis=1))


def _log_laplace_below(x: FloatArray) -> FloatArray:
    """Ln P(noise ≤ x) for Laplace noise of scale 1."""
    return np.where(x <= 0, np.minimum(x, 0.0) - np.log(2), np.log1p(-0.5 * np.exp(-np.maximum(x, 0.0))))


def _log_variances(sums: ClassSums, k: int, n: Any, mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Laplace noise on condition that the sum of squares stays in its bounds, in units of the noise."""
    reach, away = np.maximum(mean - sums.low, sums.high - mean), sums.mean[k] - mean
    noise, top = reach**2 * sums.scale[n], n / sums.scale[n]
    center = np.minimum((sums.squares[k] + sums.sizes[k] * away**2) / noise, top)
    at = (variance - SMOOTHING) * n / noise
    kept = 1 - 0.5 * np.exp(center - top) - 0.5 * np.exp(-center)
    return np.asarray((-np.abs(at - center) - np.log(kept)).sum(axis=1))


def _log_count_law(sums: ClassSums) -> FloatArray:
    """The log probability of each noisy count of the first of two classes, after the counts were repaired."""
    decay = sums.epsilon / 3
    far = int(60 / decay)
    laws = []
    for size in sums.sizes:
        values = np.arange(size - far, size + far + 1)
        mass = np.exp(-decay * np.abs(values - size))
        laws.append(np.bincount(np.clip(values, 1, sums.rows), mass / mass.sum(), sums.rows + 1))
    return np.asarray(np.log(np.maximum(_repair_law(laws[0], laws[1], sums.rows), 1e-300)))


@compiled
def _repair_law(first: Any, second: Any, rows: Any) -> Any:
    found, counts, order = np.zeros(rows + 1), np.empty(2, np.int64), np.empty(2, np.int64)
    for a in range(1, rows + 1):
        for b in range(1, rows + 1):
            mass = first[a] * second[b]
            if mass > 0:
                counts[0], counts[1] = a, b
                repair_counts(counts, order, rows)
                found[counts[0]] += mass
    return found
