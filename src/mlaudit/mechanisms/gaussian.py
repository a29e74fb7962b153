"""Column sums of rows in the unit box, with Gaussian noise: exactly (ε, δ)-DP."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.mechanisms._released import ReleasedNumbers
from mlaudit.statistics.gaussian_dp import mu_of
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset


@dataclass(frozen=True)
class Gaussian(ReleasedNumbers):
    """Σ x + N(0, d/μ²) for x in [0, 1]^d, with the μ of the analytic Gaussian mechanism (Balle and Wang 2018).

    >>> Gaussian(1.0, 1e-5).claim.gaussian
    True
    """

    epsilon: float = 1.0
    delta: float = 1e-5

    def __post_init__(self) -> None:
        _ = self.claim  # checks both

    @property
    def claim(self) -> Claim:
        """(ε, δ)-DP, and the stronger μ-Gaussian DP."""
        return Claim(self.epsilon, self.delta, gaussian=True)

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many noisy sums."""
        d = data.X.shape[1]
        sigma = np.sqrt(d) / mu_of(self.epsilon, self.delta)
        return np.asarray(data.X.sum(axis=0) + default_rng(seed).normal(0.0, sigma, (n, d)))
