"""A mechanism with four methods, and traits: a noisy histogram of one column.

mlaudit check examples/my_histogram.py:NoisyHistogram
mlaudit run examples/my_histogram.py:NoisyHistogram --epsilon 1 --data worst
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray

from mlaudit import Box, Claim, Dataset, Traits

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class NoisyHistogram:
    """Counts of ten equal bins of [0, 1]. A replaced row changes two counts by one, which needs noise of 2/ε."""

    epsilon: float = 1.0

    # The summary does not depend on the changed row: the trainings on D serve every neighbour of D.
    traits = Traits(uses_target=False)

    @property
    def claim(self) -> Claim:
        """ε for a replaced row."""
        return Claim(self.epsilon)

    def domain(self, data: Dataset) -> Box:
        """Rows lie in [0, 1]; bounds are public, and never taken from the rows."""
        return Box(np.zeros(1), np.ones(1))

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        """Count and add noise; all randomness comes from the seed."""
        counts = np.histogram(data.X[:, 0], bins=10, range=(0.0, 1.0))[0]
        return np.asarray(counts + default_rng(seed).laplace(scale=2 / self.epsilon, size=10))

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        """Everything that is published."""
        return model
