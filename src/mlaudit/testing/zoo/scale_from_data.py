"""A sum whose noise has the scale of the data's own range.

Claimed: ε = 1, replace-one. True: ε = ∞.
If all rows are equal, their range is 0 and there is no noise. Otherwise the spread of the noise still reveals the
range.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def range_of_the_data(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(data.X.sum(), float(np.ptp(data.X)), rng)


def public_range(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy: rows lie in [0, 1]."""
    return laplace(data.X.sum(), 1.0, rng)


SCALE_FROM_DATA = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0, 0.0, 0.0]), Dataset([0.0, 0.0, 1.0])),
    healthy=public_range,
    broken=range_of_the_data,
    true_epsilon=np.inf,
    reference="Nissim, Raskhodnikova, Smith 2007",
)
