"""Random forest of diffprivlib: random splits, leaf labels by permute-and-flip, each row in one tree."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.attacks.lone_flip import LoneFlip
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms._diffprivlib import box_of, models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import bounds_in, labels_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.preparation import Preparation
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class RandomForest:
    """diffprivlib's RandomForestClassifier with bounds and classes from the domain; τ is each tree's label for x*.

    Its ε is for a row added or removed: a leaf's counts change by one. A replaced row changes two leaves, and is two
    steps.
    """

    epsilon: float = 1.0
    relation: Relation = Relation.ADD_REMOVE
    trees: int = 15
    depth: int = 10

    # As in the paper: fewer rows, for its fit is slow, and no categories of published datasets among the splits.
    traits = Traits(
        library="diffprivlib",
        attacks=(LoneFlip(),),
        targets="classes",
        preparation=Preparation(rows=500, categorical="paper"),
    )

    def __post_init__(self) -> None:
        _ = self.claim
        whole("trees", self.trees, 1)
        whole("depth", self.depth, 1)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon, relation=self.relation)

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D."""
        return box_of(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        estimator = models().RandomForestClassifier(
            n_estimators=self.trees,
            max_depth=self.depth,
            epsilon=self.epsilon,
            bounds=(box.low, box.high),
            classes=list(box.labels or ()),
            **private_settings(seed),
        )
        with refuse_privacy_leaks():
            return estimator.fit(data.X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """What each tree says of x*: not their average, which would hide which of them changed."""
        if target is None:
            raise InvalidInput("random_forest is summarised at the changed point, got a pair without a target")
        point = target[None, :].astype(np.float32)
        return np.array([tree.predict(point)[0] for tree in model.estimators_], dtype=float)

    def probability(self, model: Any, X: FloatArray) -> FloatArray:
        """The library's own predict_proba, of the second class."""
        return np.asarray(model.predict_proba(X)[:, 1], dtype=float)

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {
            "n_estimators": self.trees,
            "max_depth": self.depth,
            "epsilon": self.epsilon,
            "bounds": bounds_in(domain),
            "classes": labels_in(domain),
        }
        return write_recipe(
            "RandomForestClassifier",
            settings,
            "X, y",
            "point = np.array([TARGET], dtype=np.float32)",
            "return np.array([tree.predict(point)[0] for tree in model.estimators_], dtype=float)",
        )
