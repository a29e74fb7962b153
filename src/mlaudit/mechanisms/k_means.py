"""k-means of diffprivlib: noisy counts and sums of each cluster in every round."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.mechanisms._diffprivlib import domain_as, models, private_settings, strictly_private
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box


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

    library = "diffprivlib"
    uses_target = False

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D; labels play no part."""
        return Box.enclosing(data.X)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = domain_as(Box, data)
        learner = models().KMeans(
            self.clusters, epsilon=self.epsilon, bounds=(box.low, box.high), **private_settings(seed)
        )
        with strictly_private():
            return learner.fit(data.X)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """The centres, cluster by cluster."""
        return np.ravel(model.cluster_centers_)
