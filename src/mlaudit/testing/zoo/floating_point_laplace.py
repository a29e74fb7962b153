"""Laplace noise in double precision, added to the sum without rounding.

Claimed: ε = 1, replace-one. True: ε = ∞.
Numbers between −½ and ½ can have bits finer than 2⁻⁵³. If the sum is 1, such an output is 1 plus noise of about −1,
which has no such bits. So an output below ½ that is not a multiple of 2⁻⁵³ shows that the sum was 0.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import geometric
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_STEPS = 2**10  # of the healthy one's grid, in a unit


def in_double_precision(data: Dataset, rng: Generator) -> float:
    """Broken."""
    return float(data.X.sum() + rng.laplace(0.0, 1.0))


def in_whole_steps(data: Dataset, rng: Generator) -> float:
    """Healthy: a replaced row in [0, 1] moves the rounded sum by at most as many steps as a unit has."""
    return float(np.rint(data.X.sum() * _STEPS) + geometric(1.0 / _STEPS, rng)) / _STEPS


FLOATING_POINT_LAPLACE = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0])),
    healthy=in_whole_steps,
    broken=in_double_precision,
    true_epsilon=np.inf,
    reference="Mironov 2012",
)
