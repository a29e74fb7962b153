"""Column sums of rows in the unit box, with Laplace noise: exactly ε-DP."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.mechanisms._released import ReleasedNumbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Laplace(ReleasedNumbers):
    """Σ x + Laplace(d/ε) for x in [0, 1]^d, whose L1 sensitivity is d if a row is replaced, added or zeroed.

    >>> Laplace(0.5).tight_pair(2).rows
    2
    """

    epsilon: float = 1.0
    relation: Relation = Relation.REPLACE_ONE

    def __post_init__(self) -> None:
        _ = self.claim  # checks both

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon, relation=self.relation)

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many noisy sums."""
        d = data.X.shape[1]
        return np.asarray(data.X.sum(axis=0) + default_rng(seed).laplace(0.0, d / self.epsilon, (n, d)))

    def tight_pair(self, rows: int) -> Pair:
        """Zeros against ones, replaced or added as the relation says: the loss is exactly ε a step."""
        if self.relation is Relation.ADD_REMOVE:
            return Pair(Dataset([0.0]), Dataset(np.append(0.0, np.ones(rows))))
        return super().tight_pair(rows)
