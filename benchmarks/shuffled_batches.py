"""Shuffled batches accounted as Poisson sampling: what a canary's noisy sums look like, and what the claim becomes.

In every epoch a row is in exactly one batch, in each with the same probability; everything but that is public. The
summary is the log-likelihood ratio of all noisy sums, the best that any adversary can have. The other row's gradient
is zero, so that the pair is a canary or none.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import logsumexp

from mlaudit import Claim, Dataset, Pair, Relation
from mlaudit.types.arrays import FloatArray

PAIR = Pair(Dataset([[0.0], [1.0]]), Dataset([[0.0]]))  # the canary is the row that is not 0


@dataclass(frozen=True)
class ShuffledBatches:
    """Epochs of noisy sums, and the log-likelihood ratio that they make up."""

    batches: int
    epochs: int
    noise: float

    def __call__(self, data: Dataset, rng: Generator) -> FloatArray:
        sums = self.noise * rng.standard_normal((self.epochs, self.batches))
        if data.X.any():
            sums[np.arange(self.epochs), rng.integers(0, self.batches, self.epochs)] += 1.0
        return np.atleast_1d(self.log_likelihood_ratio(sums))

    def log_likelihood_ratio(self, sums: FloatArray) -> FloatArray:
        each = logsumexp((sums - 0.5) / self.noise**2, axis=-1) - np.log(self.batches)
        return np.asarray(each.sum(axis=-1))

    def delta(self, epsilon: float, rng: Generator, draws: int = 100_000) -> float:
        """The δ at ε of a removed canary, by simulation."""
        sums = self.noise * rng.standard_normal((draws, self.epochs, self.batches))
        sums[:, :, 0] += 1.0  # whichever batch it is, the loss has the same law
        losses = self.log_likelihood_ratio(sums)
        return float(np.maximum(-np.expm1(epsilon - losses), 0.0).mean())

    def claim(self, delta: float) -> Claim:
        """What an accountant says who takes the batches for Poisson samples of the same rate."""
        from mlaudit.subsampled_gaussian import epsilon_of

        rate, steps = 1 / self.batches, self.batches * self.epochs
        epsilon = epsilon_of(1 / self.noise, rate, steps, delta, rounded_up=True)
        return Claim(epsilon, delta, Relation.ADD_REMOVE)
