"""Sparse vector technique of Roth's lecture notes (algorithm 3 of Lyu, Su and Li): also releases the value.

Claimed: ε = 2, replace-one. True: ε = ∞.
The answer is released with the same noise that it was compared with. It bounds the noise of the threshold, which then
no longer hides the queries below. Each of m queries leaks ε/2, together 40 on this pair. More queries give any ε, but
only in rare outputs: on this pair 3 % of the outputs show more than the claim allows.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace, on_grid
from mlaudit.testing.zoo._sparse_vector import REFERENCE, THRESHOLD, answer_privately, rise_and_fall
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset

_EPSILON, _QUERIES = 2.0, 40


def value_compared(data: Dataset, rng: Generator) -> FloatArray:
    """Broken: the index of the first above, and what was compared."""
    noisy = data.X.sum(axis=0) + rng.laplace(0.0, 2 / _EPSILON, _QUERIES)
    found = np.flatnonzero(noisy >= THRESHOLD + rng.laplace(0.0, 2 / _EPSILON))
    return np.array([found[0], on_grid(noisy[found[0]])] if found.size else [_QUERIES, 0.0])


def value_drawn_anew(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy: half of ε for the index, half for a value of its own."""
    found = np.flatnonzero(answer_privately(data, _EPSILON / 2, 1, rng) == 1)
    return np.array(
        [found[0], laplace(data.X.sum(axis=0)[found[0]], 2 / _EPSILON, rng)] if found.size else [_QUERIES, 0.0]
    )


SPARSE_VECTOR_ROTH = Exhibit(
    Claim(_EPSILON),
    rise_and_fall(_QUERIES, 0),
    healthy=value_drawn_anew,
    broken=value_compared,
    true_epsilon=np.inf,
    on_pair=_QUERIES * _EPSILON / 2,
    reference=REFERENCE,
)
