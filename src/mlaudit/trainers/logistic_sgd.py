"""DP-SGD for logistic regression in plain numpy, every noisy gradient public: gradient canaries, white-box."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from scipy.special import expit

from mlaudit.statistics.subsampled_gaussian import noise_multiplier
from mlaudit.trainers._likelihood import directions, log_likelihood_ratios
from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.checks import instance, positive, real, whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class LogisticSgd:
    """Poisson batches, gradients clipped one by one to norm 1, Gaussian noise; and canaries put into the clipped sum.

    The adversary chose the records and knows them, sees every noisy sum (and so all weights), and knows all but which
    canaries are in and which records a step sampled: it takes what the records give on average off the sum. Without
    data there are no records, the case that it would choose, and `parameters` weights. `noise` replaces the noise
    multiplier that the claim asks for.
    """

    epsilon: float = 2.0
    delta: float = 1e-5
    steps: int = 100
    rate: float = 0.1
    learning_rate: float = 0.5
    parameters: int = 1000
    data: Dataset | None = None
    noise: float | None = None

    def __post_init__(self) -> None:
        _ = self.claim  # checks ε and δ
        positive("delta", self.delta)
        whole("steps", self.steps, 1)
        real("rate", self.rate, 0, np.nextafter(1.0, 2.0))
        positive("learning_rate", self.learning_rate)
        whole("parameters", self.parameters, 1)
        if self.data is not None:
            instance("data", self.data, Dataset, "wrap rows in Dataset(...)")
        if self.noise is not None:
            real("noise", self.noise, 0, inf, closed_low=True)

    @property
    def claim(self) -> Claim:
        """What the accountant says of the noise multiplier that was calibrated."""
        return Claim(self.epsilon, self.delta, Relation.ADD_REMOVE)

    @property
    def claimed_noise(self) -> float:
        """The noise multiplier that the claim asks for."""
        return noise_multiplier(self.epsilon, self.delta, self.rate, self.steps)

    traits = Traits(targets="two classes")

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        """The log-likelihood ratio of each canary, a gradient of norm 1 in a random direction of its own."""
        rng = default_rng(seed)
        units = directions(len(included), self._width, rng)
        joins = (rng.random((self.steps, len(included))) < self.rate) & included
        seen = self._noisy_sums(joins @ units, rng) @ units.T
        return log_likelihood_ratios(seen, units, self.rate, self.claimed_noise)

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        """What each noisy sum has in the direction of one canary."""
        rng = default_rng(seed)
        unit = directions(1, self._width, rng)
        return np.asarray(self._noisy_sums(inserted[:, None] * unit, rng) @ unit[0])

    @property
    def _width(self) -> int:
        return self.parameters if self.data is None else self.data.X.shape[1] + 1

    def _noisy_sums(self, canaries: FloatArray, rng: Generator) -> FloatArray:
        """One training: the noisy sum of each step without what its records give on average."""
        X, y = self._records()
        batch = max(1.0, self.rate * len(X))
        noise = self.claimed_noise if self.noise is None else self.noise
        weights, seen = np.zeros(self._width), np.empty((self.steps, self._width))
        for step, inserted in enumerate(canaries):
            gradients = (expit(X @ weights) - y)[:, None] * X
            gradients /= np.maximum(1.0, np.linalg.norm(gradients, axis=1, keepdims=True))
            joined = rng.random(len(X)) < self.rate
            noisy = gradients[joined].sum(axis=0) + inserted + noise * rng.standard_normal(self._width)
            seen[step] = noisy - self.rate * gradients.sum(axis=0)
            weights -= self.learning_rate * noisy / batch
        return seen

    def _records(self) -> tuple[FloatArray, FloatArray]:
        if self.data is None or self.data.y is None:
            return np.empty((0, self._width)), np.empty(0)
        classes = np.unique(self.data.y)
        ones = np.ones((len(self.data), 1))
        return np.hstack([self.data.X, ones]), np.asarray(self.data.y == classes[-1], dtype=float)
