"""Standard scaler of diffprivlib: a noisy mean and variance of each column."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.mechanisms._diffprivlib import domain_as, models, private_settings, strictly_private
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box


@dataclass(frozen=True)
class StandardScaler:
    """diffprivlib's StandardScaler with bounds from the domain; τ is every mean and variance."""

    epsilon: float = 1.0

    def __post_init__(self) -> None:
        _ = self.claim

    @property
    def claim(self) -> Claim:
        """Pure ε-DP for a replaced row: means get noise for (upper − lower)/n, so that n must be public."""
        return Claim(self.epsilon)

    library = "diffprivlib"
    uses_target = False

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D; labels play no part."""
        return Box.enclosing(data.X)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = domain_as(Box, data)
        learner = models().StandardScaler(epsilon=self.epsilon, bounds=(box.low, box.high), **private_settings(seed))
        with strictly_private():
            return learner.fit(data.X)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """Means, then variances."""
        return np.concatenate([model.mean_, model.var_])
