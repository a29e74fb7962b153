"""k-means of diffprivlib: noisy counts and sums of each cluster in every round."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.mechanisms._diffprivlib import models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import bounds_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class KMeans:
    """diffprivlib's KMeans with bounds from the domain; τ is every centre.

    Its ε is for a row added or removed: that changes one cluster's count by one, which is what the noise is for. A
    replaced row may leave one cluster and join another, and is two steps.
    """

    epsilon: float = 1.0
    relation: Relation = Relation.ADD_REMOVE
    clusters: int = 2

    def __post_init__(self) -> None:
        _ = self.claim
        whole("clusters", self.clusters, 1)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon, relation=self.relation)

    traits = Traits(library="diffprivlib", uses_target=False)

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D; labels play no part."""
        return Box.enclosing(data.X)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        estimator = models().KMeans(
            self.clusters, epsilon=self.epsilon, bounds=(box.low, box.high), **private_settings(seed)
        )
        with refuse_privacy_leaks():
            return estimator.fit(data.X)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """The centres, cluster by cluster."""
        return np.ravel(model.cluster_centers_)

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {"n_clusters": self.clusters, "epsilon": self.epsilon, "bounds": bounds_in(domain)}
        return write_recipe(
            "KMeans",
            settings,
            "X",
            "return np.ravel(model.cluster_centers_)",
        )
