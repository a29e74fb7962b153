"""Sparse vector technique of Lee and Clifton (algorithm 4 of Lyu, Su and Li): noise for one query above, not for all.

Claimed: ε = 1, replace-one. True: ε = 37.75.
The threshold costs ε/4, and each of c queries above it costs twice 3ε/4: (1 + 6c)/4 · ε in all, as the number of
queries below it grows. With 25 on either side it is 31.3348.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._sparse_vector import REFERENCE, answer_privately, find_above, rise_and_fall, stop_after
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset

_MOST = 25


def noise_for_one(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return stop_after(find_above(data, 4.0, 4.0 / 3.0, rng), _MOST)


def noise_for_all(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return answer_privately(data, 1.0, _MOST, rng)


SPARSE_VECTOR_LEE_CLIFTON = Exhibit(
    Claim(1.0),
    rise_and_fall(_MOST, _MOST),
    healthy=noise_for_all,
    broken=noise_for_one,
    true_epsilon=(1 + 6 * _MOST) / 4,
    on_pair=31.3348,
    reference=REFERENCE,
)
