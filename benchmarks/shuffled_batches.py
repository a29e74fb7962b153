"""Shuffled batches accounted as Poisson sampling: what a canary's noisy sums look like, and what the claim becomes.

In every epoch a row is in exactly one batch, in each with the same probability; everything but that is public. The
summary is the log-likelihood ratio of all noisy sums, the best that any adversary can have. The other row's gradient
is zero, so that the pair is a canary or none.

That pair is not the worst. `zeroed_out_epsilon` is about one that leaks more: the gradients of all other records
point away from the canary's, and the neighbour has a zero in the canary's place instead of one record less (Chua et
al. 2024).

    python benchmarks/shuffled_batches.py
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr, logsumexp

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
        from mlaudit.statistics.subsampled_gaussian import epsilon_of

        rate, steps = 1 / self.batches, self.batches * self.epochs
        epsilon = epsilon_of(1 / self.noise, rate, steps, delta, rounded_up=True)
        return Claim(epsilon, delta, Relation.ADD_REMOVE)


def zeroed_out_epsilon(batches: int, noise: float, delta: float) -> float:
    """A lower bound on the ε of one epoch of shuffled batches for a record that is zeroed out, in closed form.

    The canary's clipped gradient is +1 and that of every other record −1. With b records a batch, the sum of the
    canary's batch is 2 above all others (−b + 2 against −b); with a zero in the canary's place it is 1 above. The
    event is that the largest noisy sum exceeds a threshold: ε is at least ln((P − δ)/Q) for each, and here the best.
    """
    thresholds = np.arange(0.0, 2.0 + 12.0 * noise, 1e-3)
    p, q = (exceeding(thresholds, batches, shift, noise) for shift in (2.0, 1.0))
    shown = p > delta
    return float(np.log((p[shown] - delta) / q[shown]).max())


def exceeding(thresholds: FloatArray, batches: int, shift: float, noise: float) -> FloatArray:
    """P(the largest of the sums > threshold): one is `shift`, the others are 0, each with the noise."""
    below = log_ndtr((thresholds - shift) / noise) + (batches - 1) * log_ndtr(thresholds / noise)
    return np.asarray(-np.expm1(below))


def main() -> None:
    """The accounted ε against the one that a record which is zeroed out shows."""
    print(f"{'batches':>7} {'noise':>5} {'δ':>6} {'accounted':>9} {'at least':>8}")
    for batches, noise, delta in ((100, 1.0, 1e-5), (100, 0.8, 1e-5), (1000, 1.0, 1e-5), (100, 1.0, 1e-3)):
        stated = ShuffledBatches(batches, 1, noise).claim(delta).epsilon
        print(
            f"{batches:>7} {noise:>5g} {delta:>6g} {stated:>9.2f} {zeroed_out_epsilon(batches, noise, delta):>8.2f}"
        )


if __name__ == "__main__":
    main()
