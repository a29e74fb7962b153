"""A sum whose noise is for a replaced row, but whose claim is for an added or removed row.

Claimed: ε = 1, add-remove. True: ε = 3.
Replacing a row in [2, 3] moves the sum by at most 1; adding a row moves it by up to 3. Under replace-one it is right.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair

_LOW, _HIGH = 2.0, 3.0


def width_of_the_bounds(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(data.X.sum(), _HIGH - _LOW, rng)


def largest_of_the_bounds(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(data.X.sum(), max(abs(_LOW), abs(_HIGH)), rng)


REPLACE_ONE_FOR_ADD_REMOVE = Exhibit(
    Claim(1.0, relation=Relation.ADD_REMOVE),
    Pair(Dataset([_LOW, _LOW], domain=Box(_LOW, _HIGH)), Dataset([_LOW, _LOW, _HIGH])),
    healthy=largest_of_the_bounds,
    broken=width_of_the_bounds,
    true_epsilon=3.0,
)
