"""Noisy class counts, for the classes that occur in the data.

Claimed: ε = 1, replace-one. True: ε = ∞.
The number of counts reveals whether a class with only one row is in the data.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_CLASSES = 3


def classes_that_occur(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    counts = np.unique(data.X[:, 0], return_counts=True)[1]
    return laplace(counts, 2.0, rng)


def classes_declared(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy: a replaced row moves two counts by 1."""
    counts = np.bincount(data.X[:, 0].astype(int), minlength=_CLASSES)
    return laplace(counts, 2.0, rng)


CLASSES_FROM_DATA = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 1.0, 2.0]), Dataset([0.0, 1.0, 1.0])),
    healthy=classes_declared,
    broken=classes_that_occur,
    true_epsilon=np.inf,
)
