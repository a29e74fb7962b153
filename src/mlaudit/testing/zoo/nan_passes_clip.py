"""A sum of clipped shares, one of which is 0/0: NaN is neither too small nor too large.

Claimed: ε = 1, replace-one. True: ε = ∞.
NaN stays NaN after clipping and after adding noise, and reveals that such a row is in the data.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def _shares(data: Dataset) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(data.X[:, 0] / data.X[:, 1])


def clipped(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(_shares(data).clip(0.0, 1.0).sum(), 1.0, rng)


def made_finite_and_clipped(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(np.nan_to_num(_shares(data)).clip(0.0, 1.0).sum(), 1.0, rng)


NAN_PASSES_CLIP = Exhibit(
    Claim(1.0),
    Pair(Dataset([[1.0, 2.0], [3.0, 3.0]]), Dataset([[1.0, 2.0], [0.0, 0.0]])),
    healthy=made_finite_and_clipped,
    broken=clipped,
    true_epsilon=np.inf,
)
