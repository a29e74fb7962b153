"""Standard scaler of diffprivlib: a noisy mean and variance of each column."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.mechanisms._diffprivlib import models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import bounds_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


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

    traits = Traits(library="diffprivlib", uses_target=False)

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D; labels play no part."""
        return Box.enclosing(data.X)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        bounds = (box.low, box.high)
        estimator = models().StandardScaler(epsilon=self.epsilon, bounds=bounds, **private_settings(seed))
        with refuse_privacy_leaks():
            return estimator.fit(data.X)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """Means, then variances."""
        return np.concatenate([model.mean_, model.var_])

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {"epsilon": self.epsilon, "bounds": bounds_in(domain)}
        return write_recipe(
            "StandardScaler",
            settings,
            "X",
            "return np.concatenate([model.mean_, model.var_])",
        )
