"""Sparse vector technique of Stoddard, Chen and Machanavajjhala (algorithm 5 of Lyu, Su and Li): no noise on queries.

Claimed: ε = 1, replace-one. True: ε = ∞.
A noisy threshold hides the common level of all queries, but not which of two queries is larger.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._sparse_vector import REFERENCE, answer_privately, find_above, rise_and_fall
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset


def exact_queries(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return find_above(data, 2.0, 0.0, rng).astype(float)


def noisy_queries(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return answer_privately(data, 1.0, 1, rng)


SPARSE_VECTOR_STODDARD = Exhibit(
    Claim(1.0),
    rise_and_fall(1, 1),
    healthy=noisy_queries,
    broken=exact_queries,
    true_epsilon=np.inf,
    reference=REFERENCE,
)
