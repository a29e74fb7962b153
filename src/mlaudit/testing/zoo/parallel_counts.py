"""Sizes of groups that overlap, with noise as if they were disjoint.

Claimed: ε = 1, replace-one. True: ε = 3.
Parallel composition is for queries on different rows. A row that belongs to all three groups moves every count.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_GROUPS = 3


def as_if_disjoint(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(data.X.sum(axis=0), 1.0, rng)


def composed(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(data.X.sum(axis=0), float(_GROUPS), rng)


PARALLEL_COUNTS = Exhibit(
    Claim(1.0),
    Pair(Dataset([[0.0] * _GROUPS] * 2), Dataset([[1.0] * _GROUPS, [0.0] * _GROUPS])),
    healthy=composed,
    broken=as_if_disjoint,
    true_epsilon=float(_GROUPS),
    reference="McSherry 2009",
)
