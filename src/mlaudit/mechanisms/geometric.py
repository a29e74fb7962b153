"""A count of ones with two-sided geometric noise: exactly ε-DP, in whole numbers."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.mechanisms._released import ReleasedNumbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset


@dataclass(frozen=True)
class Geometric(ReleasedNumbers):
    """Rows are rounded to 0 or 1 and counted; P(noise = j) ∝ e^{−ε|j|}.

    >>> from numpy.random import SeedSequence
    >>> float(Geometric(50.0).fit(Dataset([1.0, 0.0, 1.0]), SeedSequence(0))[0])
    2.0
    """

    epsilon: float = 1.0

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon)

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many noisy counts: the difference of two geometric variables is two-sided geometric."""
        stop = -np.expm1(-self.epsilon)
        up, down = default_rng(seed).geometric(stop, (2, n, 1))
        return np.asarray(np.rint(data.X[:, 0]).sum() + up - down, dtype=float)
