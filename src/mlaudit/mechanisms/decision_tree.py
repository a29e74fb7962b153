"""A single tree of diffprivlib: random splits, leaf labels by permute-and-flip."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput
from mlaudit.mechanisms._diffprivlib import box_of, models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import bounds_in, labels_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


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

    traits = Traits(library="diffprivlib", targets="classes")

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D."""
        return box_of(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        estimator = models().DecisionTreeClassifier(
            self.depth,
            epsilon=self.epsilon,
            bounds=(box.low, box.high),
            classes=list(box.labels or ()),
            **private_settings(seed),
        )
        with refuse_privacy_leaks():
            return estimator.fit(data.X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """What the tree says of x*."""
        if target is None:
            raise InvalidInput("decision_tree is summarised at the changed point, got a pair without a target")
        return np.asarray(model.predict(target[None, :].astype(np.float32)), dtype=float)

    def probability(self, model: Any, X: FloatArray) -> FloatArray:
        """The library's own predict_proba, of the second class."""
        return np.asarray(model.predict_proba(X)[:, 1], dtype=float)

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {
            "max_depth": self.depth,
            "epsilon": self.epsilon,
            "bounds": bounds_in(domain),
            "classes": labels_in(domain),
        }
        return write_recipe(
            "DecisionTreeClassifier",
            settings,
            "X, y",
            "return model.predict(np.array([TARGET], dtype=np.float32)).astype(float)",
        )
