"""Every row's bit, reported truthfully with probability e^ε/(1+e^ε): exactly ε-DP."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.special import expit

from mlaudit.mechanisms._released import ReleasedNumbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class RandomisedResponse(ReleasedNumbers):
    """Warner's mechanism on each row of one column, rounded to 0 or 1; the output has a number per row.

    >>> from numpy.random import SeedSequence
    >>> RandomisedResponse(50.0).fit(Dataset([1.0, 0.0]), SeedSequence(0))
    array([1., 0.])
    """

    epsilon: float = 1.0

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon)

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many rounds of reports."""
        bits = np.rint(data.X[:, 0])
        truthful = default_rng(seed).random((n, len(bits))) < expit(self.epsilon)
        return np.where(truthful, bits, 1.0 - bits)

    def tight_pair(self, rows: int) -> Pair:
        """Zeros against ones and no rows beside them, which would only add noise to the output."""
        return Pair(Dataset(np.zeros(rows)), Dataset(np.ones(rows)))
