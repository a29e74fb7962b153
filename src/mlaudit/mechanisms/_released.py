"""The common part of mechanisms that release numbers about rows in the unit box."""

from abc import abstractmethod

import numpy as np
from numpy.random import SeedSequence

from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import positive
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair
from mlaudit.types.traits import Traits


class ReleasedNumbers:
    """A mechanism that is defined by `sample`: a fit is one sample, and the summary is the sample itself."""

    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    traits = Traits(uses_target=False)

    def domain(self, data: Dataset) -> Box:
        """The unit box."""
        return Box(np.zeros(data.X.shape[1]), np.ones(data.X.shape[1]))

    @abstractmethod
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many releases, as rows."""

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        """One release."""
        return np.asarray(self.sample(data, None, 1, seed)[0])

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        """The release itself."""
        return model

    def tight_pair(self, rows: int) -> Pair:
        """Zeros against as many ones as rows: the whole sensitivity, a step for each row.

        D is the same for up to eight rows, so that its trainings serve them all.
        """
        size = max(rows, 8)
        return Pair(Dataset(np.zeros(size)), Dataset((np.arange(size) < rows).astype(float)))
