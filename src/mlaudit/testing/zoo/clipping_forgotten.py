"""A sum of rows that should have been clipped to [0, 1] first.

Claimed: ε = 1, replace-one. True: ε = ∞.
A row can have any value, so the privacy loss is unbounded; on this pair it is 100.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def not_clipped(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(data.X.sum(), 1.0, rng)


def clipped(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(data.X.clip(0.0, 1.0).sum(), 1.0, rng)


CLIPPING_FORGOTTEN = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 0.0]), Dataset([0.0, 100.0])),
    healthy=clipped,
    broken=not_clipped,
    true_epsilon=np.inf,
    on_pair=100.0,
)
