"""A noisy mean, clipped to the bounds of the data themselves.

Claimed: ε = 1, replace-one. True: ε = ∞.
No output lies above the largest row. The noise is right for rows in [0, 1], so the output must be clipped to [0, 1].
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def bounds_of_the_data(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return np.clip(laplace(data.X.mean(), 1.0 / len(data), rng), data.X.min(), data.X.max())


def public_bounds(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return np.clip(laplace(data.X.mean(), 1.0 / len(data), rng), 0.0, 1.0)


BOUNDS_FROM_DATA = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 0.125]), Dataset([0.0, 1.0])),
    healthy=public_bounds,
    broken=bounds_of_the_data,
    true_epsilon=np.inf,
)
