"""Sparse vector technique of Lyu, Su and Li (their algorithm 1): right.

Claimed: ε = 1, replace-one. True: ε = 1.
The threshold costs ε/2, and two queries ε/4 each, with twice the noise: a query may fall as the threshold rises.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._sparse_vector import REFERENCE, answer_privately, rise_and_fall
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset


def lyu_su_li(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return answer_privately(data, 1.0, 2, rng)


SPARSE_VECTOR_LYU = Exhibit(
    Claim(1.0),
    rise_and_fall(20, 2),
    healthy=lyu_su_li,
    true_epsilon=1.0,
    on_pair=0.9989,
    reference=REFERENCE,
)
