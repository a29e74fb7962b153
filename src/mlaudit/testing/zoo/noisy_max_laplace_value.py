"""Report noisy max with Laplace noise, returning the largest value instead of its index.

Claimed: ε = 1.5, add-remove. True: ε = 7.5.
The index of the largest of m noisy counts is ε-DP, but its value is not. The event {max ≤ t} requires all m counts to
be small. If a row raises every count, each count leaks ε.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_EPSILON, _COUNTS = 1.5, 5


def largest_value(data: Dataset, rng: Generator) -> float:
    """Broken."""
    return float(laplace(data.X.sum(axis=0), 1 / _EPSILON, rng).max())


def index_of_the_largest(data: Dataset, rng: Generator) -> int:
    """Healthy."""
    return int(laplace(data.X.sum(axis=0), 1 / _EPSILON, rng).argmax())


NOISY_MAX_LAPLACE_VALUE = Exhibit(
    Claim(_EPSILON, relation=Relation.ADD_REMOVE),
    Pair(Dataset(np.zeros((1, _COUNTS))), Dataset(np.vstack([np.zeros(_COUNTS), np.ones(_COUNTS)]))),
    healthy=index_of_the_largest,
    broken=largest_value,
    true_epsilon=_COUNTS * _EPSILON,
    reference="Ding, Wang, Wang, Zhang, Kifer 2018",
)
