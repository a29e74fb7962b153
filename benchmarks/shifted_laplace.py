"""The mechanism of the power tables: d Laplace coordinates of scale 1/ε, of which only the first knows the data."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit import Claim, Dataset, Pair
from mlaudit.types.arrays import FloatArray

PAIR = Pair(Dataset([0.0]), Dataset([1.0]))


@dataclass(frozen=True)
class ShiftedLaplace:
    """Exactly ε-DP on PAIR, with d − 1 coordinates of pure noise beside the telling one."""

    epsilon: float
    d: int

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon)

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
        z = default_rng(seed).laplace(0.0, 1.0 / self.epsilon, (n, self.d))
        z[:, 0] += data.X[0, 0]
        return z
