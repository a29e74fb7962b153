"""Laplace noise of half the scale that the sensitivity requires.

Claimed: ε = 1, replace-one. True: ε = 2.
One row in [0, 1] moves the sum by up to 1, so noise of scale b gives ε = 1/b.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def half_the_scale(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(data.X.sum(), 0.5, rng)


def the_whole_scale(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(data.X.sum(), 1.0, rng)


LAPLACE_HALF_SCALE = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0])),
    healthy=the_whole_scale,
    broken=half_the_scale,
    true_epsilon=2.0,
    reference="Dwork, McSherry, Nissim, Smith 2006",
)
