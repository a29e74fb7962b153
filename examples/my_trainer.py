"""A trainer of canaries of one's own, for `mlaudit one-run`: it publishes who is in, with noise."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray

from mlaudit import Claim, Relation


@dataclass(frozen=True)
class NoisyAttendance:
    """Laplace noise on each canary's presence: exactly ε-DP for one added or removed."""

    epsilon: float = 1.0

    @property
    def claim(self) -> Claim:
        """What is promised."""
        return Claim(self.epsilon, relation=Relation.ADD_REMOVE)

    def scores(self, included: NDArray[np.bool_], seed: SeedSequence) -> NDArray[np.float64]:
        """One "training" with those that are in, and a score for each."""
        noise = default_rng(seed).laplace(0.0, 1.0 / self.epsilon, len(included))
        return np.asarray(included + noise)
