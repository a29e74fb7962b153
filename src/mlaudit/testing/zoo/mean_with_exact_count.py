"""A mean of bits whose sum has noise, divided by the exact number of rows.

Claimed: ε = 1, add-remove. True: ε = ∞.
Under add-remove the number of rows is private. A whole number divided by two differs from every whole number divided
by three, unless both are whole, so the output reveals it. Under replace-one the number is public: no bug.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import geometric
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def over_the_exact_count(data: Dataset, rng: Generator) -> float:
    """Broken."""
    return float((data.X.sum() + geometric(1.0, rng)) / len(data))


def over_a_noisy_count(data: Dataset, rng: Generator) -> float:
    """Healthy: half of ε each."""
    total, count = data.X.sum() + geometric(0.5, rng), len(data) + geometric(0.5, rng)
    return float(total / max(count, 1))


MEAN_WITH_EXACT_COUNT = Exhibit(
    Claim(1.0, relation=Relation.ADD_REMOVE),
    Pair(Dataset([0.0, 1.0]), Dataset([0.0, 1.0, 1.0])),
    healthy=over_a_noisy_count,
    broken=over_the_exact_count,
    true_epsilon=np.inf,
)
