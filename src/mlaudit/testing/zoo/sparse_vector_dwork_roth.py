"""Sparse vector technique of Dwork and Roth's book (algorithm 2 of Lyu, Su and Li): right.

Claimed: ε = 1, replace-one. True: ε = 1.
The threshold is drawn again after each query above it, so both parts of ε are divided by two. This is safe, but adds
more noise than necessary.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._sparse_vector import REFERENCE, THRESHOLD, rise_and_fall, stop_after
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset

_MOST = 2


def dwork_roth(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    found = []
    threshold = THRESHOLD + rng.laplace(0.0, 2.0 * _MOST)
    for query in data.X.sum(axis=0):
        found.append(query + rng.laplace(0.0, 4.0 * _MOST) >= threshold)
        if found[-1]:
            threshold = THRESHOLD + rng.laplace(0.0, 2.0 * _MOST)
    return stop_after(np.array(found), _MOST)


SPARSE_VECTOR_DWORK_ROTH = Exhibit(
    Claim(1.0),
    rise_and_fall(10, 1, 10, 1),
    healthy=dwork_roth,
    true_epsilon=1.0,
    on_pair=0.9895,
    reference=REFERENCE,
)
