"""Running totals of a histogram, each with the noise of a single count.

Claimed: ε = 1, add-remove. True: ε = 4.
A row in the first bin raises all four totals. Adding noise to the counts before summing them would cost ε only once.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_BINS = 4


def noise_on_totals(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    counts = np.bincount(data.X[:, 0].astype(int), minlength=_BINS)
    return laplace(counts.cumsum(), 1.0, rng)


def noise_on_counts(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    counts = np.bincount(data.X[:, 0].astype(int), minlength=_BINS)
    return laplace(counts, 1.0, rng).cumsum()


PREFIX_SUMS = Exhibit(
    Claim(1.0, relation=Relation.ADD_REMOVE),
    Pair(Dataset([3.0]), Dataset([3.0, 0.0])),
    healthy=noise_on_counts,
    broken=noise_on_totals,
    true_epsilon=float(_BINS),
    reference="Bichsel, Steffen, Bogunovic, Vechev 2021",
)
