"""A sum whose noise is for an added or removed row, but whose claim is for a replaced row.

Claimed: ε = 1, replace-one. True: ε = 2.
Adding a row in [−1, 1] moves the sum by at most 1; replacing a row moves it by up to 2. Under add-remove it is right.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair

_LOW, _HIGH = -1.0, 1.0


def largest_of_the_bounds(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(data.X.sum(), max(abs(_LOW), abs(_HIGH)), rng)


def width_of_the_bounds(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(data.X.sum(), _HIGH - _LOW, rng)


ADD_REMOVE_FOR_REPLACE_ONE = Exhibit(
    Claim(1.0),
    Pair(Dataset([_LOW, _LOW], domain=Box(_LOW, _HIGH)), Dataset([_LOW, _HIGH])),
    healthy=width_of_the_bounds,
    broken=largest_of_the_bounds,
    true_epsilon=2.0,
)
