"""Principal components of diffprivlib: a noisy mean, noisy eigenvalues, eigenvectors by the Bingham mechanism."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.mechanisms._diffprivlib import models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import bounds_in, norm_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class PCA:
    """diffprivlib's PCA with bounds and norm from the domain; τ is mean, variances and components.

    The norm is the diagonal of the box: no row is further than that from a mean within the bounds.
    """

    epsilon: float = 1.0
    components: int | None = None

    def __post_init__(self) -> None:
        _ = self.claim
        if self.components is not None:
            whole("components", self.components, 1)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP for a replaced row: the mean gets noise for (upper − lower)/n, so that n must be public."""
        return Claim(self.epsilon)

    traits = Traits(library="diffprivlib", uses_target=False)

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D; labels play no part."""
        return Box.enclosing(data.X)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        estimator = models().PCA(
            self.components,
            epsilon=self.epsilon,
            bounds=(box.low, box.high),
            data_norm=float(np.linalg.norm(box.high - box.low)),
            **private_settings(seed),
        )
        with refuse_privacy_leaks():
            return estimator.fit(data.X)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """Mean, variance along each component, and the components."""
        return np.concatenate([np.ravel(p) for p in (model.mean_, model.explained_variance_, model.components_)])

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {
            "n_components": self.components,
            "epsilon": self.epsilon,
            "bounds": bounds_in(domain),
            "data_norm": norm_in(domain),
        }
        return write_recipe(
            "PCA",
            settings,
            "X",
            "parts = [model.mean_, model.explained_variance_, model.components_]",
            "return np.concatenate([np.ravel(part) for part in parts])",
        )
