"""Sparse vector technique of Chen, Xiao, Zhang and Xu (algorithm 6 of Lyu, Su and Li): no limit on answers.

Claimed: ε = 1, replace-one. True: ε = ∞.
Every query above the threshold costs privacy, and their number is not limited: forty on either side give 35.0177.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._sparse_vector import REFERENCE, answer_privately, find_above, rise_and_fall
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset


def without_end(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return find_above(data, 2.0, 2.0, rng).astype(float)


def until_the_first(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return answer_privately(data, 1.0, 1, rng)


SPARSE_VECTOR_CHEN = Exhibit(
    Claim(1.0),
    rise_and_fall(40, 40),
    healthy=until_the_first,
    broken=without_end,
    true_epsilon=np.inf,
    on_pair=35.0177,
    reference=REFERENCE,
)
