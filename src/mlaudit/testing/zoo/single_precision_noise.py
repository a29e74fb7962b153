"""Laplace noise in single precision, added to a sum in double precision.

Claimed: ε = 1, replace-one. True: ε = ∞.
Single-precision noise has no bits below about 2⁻³⁰, so the lower bits of the output are those of the sum. An output
that is not a single-precision number shows that the sum was not one either.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def noise_in_single_precision(data: Dataset, rng: Generator) -> float:
    """Broken."""
    return float(data.X.sum() + np.float64(np.float32(rng.laplace(0.0, 1.0))))


def output_on_a_grid(data: Dataset, rng: Generator) -> float:
    """Healthy: whatever the noise is made of, all are multiples of 2⁻²⁰."""
    return float(laplace(data.X.sum(), 1.0, rng))


SINGLE_PRECISION_NOISE = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 0.0]), Dataset([0.0, 0.9])),
    healthy=output_on_a_grid,
    broken=noise_in_single_precision,
    true_epsilon=np.inf,
    reference="Mironov 2012",
)
