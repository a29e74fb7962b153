"""Report noisy max over counted votes, with exponential noise: exactly ε-DP under add/remove."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.mechanisms._released import ReleasedNumbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class NoisyMax(ReleasedNumbers):
    """The candidate with the most votes after Exp(1/ε) noise, one-hot (Ding et al. 2021).

    It equals permute-and-flip: of two candidates the loser wins with probability ½e^{−ε·gap}. Counts only grow
    with a row, so that ε is for one row added or removed.

    >>> NoisyMax(1.0).tight_pair(3).rows
    3
    """

    epsilon: float = 1.0

    @property
    def claim(self) -> Claim:
        """Pure ε-DP under add/remove."""
        return Claim(self.epsilon, relation=Relation.ADD_REMOVE)

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many elections."""
        votes = data.X.sum(axis=0)
        noisy = votes + default_rng(seed).exponential(1.0 / self.epsilon, (n, len(votes)))
        return np.asarray(np.eye(len(votes))[noisy.argmax(axis=1)])

    def tight_pair(self, rows: int) -> Pair:
        """A draw against a lead of `rows` votes: the loss is exactly ε a step."""
        draw = np.eye(2)
        return Pair(Dataset(draw), Dataset(np.vstack([draw, np.tile([1.0, 0.0], (rows, 1))])))
