"""Noise from a generator that every training seeds with the same number.

Claimed: ε = 1, replace-one. True: ε = ∞.
The noise is a constant, which anybody who has the code can subtract. A single output does not show the bug.
"""

import numpy as np
from numpy.random import Generator, default_rng

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def the_same_seed(data: Dataset, rng: Generator) -> FloatArray:  # noqa: ARG001 - that is the bug
    """Broken."""
    return laplace(data.X.sum(), 1.0, default_rng(42))


def a_fresh_seed(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(data.X.sum(), 1.0, rng)


SEED_REUSED = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0])),
    healthy=a_fresh_seed,
    broken=the_same_seed,
    true_epsilon=np.inf,
)
