"""Report noisy max with exponential noise, returning the largest value instead of its index.

Claimed: ε = 1, add-remove. True: ε = ∞.
Exponential noise is never negative, so the released value is at least the true maximum. A released value below m
cannot come from data whose maximum is m or more.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import on_grid
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def largest_value(data: Dataset, rng: Generator) -> float:
    """Broken."""
    return float(on_grid(data.X.sum(axis=0) + rng.exponential(1.0, 2)).max())


def index_of_the_largest(data: Dataset, rng: Generator) -> int:
    """Healthy."""
    return int((data.X.sum(axis=0) + rng.exponential(1.0, 2)).argmax())


NOISY_MAX_EXPONENTIAL_VALUE = Exhibit(
    Claim(1.0, relation=Relation.ADD_REMOVE),
    Pair(Dataset([[1.0, 0.0]] * 5), Dataset([[1.0, 0.0]] * 6)),
    healthy=index_of_the_largest,
    broken=largest_value,
    true_epsilon=np.inf,
    reference="Ding, Wang, Wang, Zhang, Kifer 2018",
)
