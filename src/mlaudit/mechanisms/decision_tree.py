"""A single tree of diffprivlib: random splits, leaf labels by permute-and-flip."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput
from mlaudit.mechanisms._diffprivlib import box_of, domain_as, models, private_settings, strictly_private
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box


@dataclass(frozen=True)
class DecisionTree:
    """diffprivlib's DecisionTreeClassifier with bounds and classes from the domain; τ is its label for x*.

    As of the forest's trees, ε is for a row added or removed.
    """

    epsilon: float = 1.0
    relation: Relation = Relation.ADD_REMOVE
    depth: int = 5

    def __post_init__(self) -> None:
        _ = self.claim
        whole("depth", self.depth, 1)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon, relation=self.relation)

    library = "diffprivlib"

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D."""
        return box_of(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = domain_as(Box, data)
        learner = models().DecisionTreeClassifier(
            self.depth,
            epsilon=self.epsilon,
            bounds=(box.low, box.high),
            classes=list(box.labels or ()),
            **private_settings(seed),
        )
        with strictly_private():
            return learner.fit(data.X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """What the tree says of x*."""
        if target is None:
            raise InvalidInput("decision_tree is summarised at the changed point, got a pair without a target")
        return np.asarray(model.predict(target[None, :].astype(np.float32)), dtype=float)

    def probability(self, model: Any, X: FloatArray) -> FloatArray:
        """The library's own predict_proba, of the second class."""
        return np.asarray(model.predict_proba(X)[:, 1], dtype=float)
