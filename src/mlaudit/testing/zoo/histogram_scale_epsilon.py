"""A histogram whose noise has scale ε where it should have 1/ε.

Claimed: ε = 0.5, add-remove. True: ε = 2.
A row moves one count by 1. At ε = 1 the bug has no effect, because the two scales are equal.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_EPSILON = 0.5


def _counts(data: Dataset) -> IntArray:
    return np.bincount(data.X[:, 0].astype(int), minlength=3)


def scale_epsilon(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(_counts(data), _EPSILON, rng)


def scale_inverse(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(_counts(data), 1.0 / _EPSILON, rng)


HISTOGRAM_SCALE_EPSILON = Exhibit(
    Claim(_EPSILON, relation=Relation.ADD_REMOVE),
    Pair(Dataset([0.0, 1.0, 2.0]), Dataset([0.0, 1.0, 2.0, 0.0])),
    healthy=scale_inverse,
    broken=scale_epsilon,
    true_epsilon=1.0 / _EPSILON,
    reference="Ding, Wang, Wang, Zhang, Kifer 2018",
)
