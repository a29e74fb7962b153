"""Gaussian Naive Bayes of diffprivlib: noisy counts, means and variances of each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.attacks.prior_flip import PriorFlip
from mlaudit.mechanisms._diffprivlib import box_of, models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import bounds_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import flag
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class NaiveBayes:
    """diffprivlib's GaussianNB with bounds from the domain; τ is every prior, mean × prior and variance × prior.

    The products say the same as the means and variances alone, in the form in which the library adds its noise: to
    the sums of a class. With `counts` the summary also holds the class counts that the fitted object exposes.
    """

    epsilon: float = 1.0
    relation: Relation = Relation.REPLACE_ONE
    counts: bool = False

    def __post_init__(self) -> None:
        _ = self.claim
        flag("counts", self.counts)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP."""
        return Claim(self.epsilon, relation=self.relation)

    traits = Traits(library="diffprivlib", attacks=(CornerFlip(), PriorFlip()), uses_target=False, targets="classes")

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D."""
        return box_of(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        estimator = models().GaussianNB(epsilon=self.epsilon, bounds=(box.low, box.high), **private_settings(seed))
        with refuse_privacy_leaks():
            return estimator.fit(data.X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """Each class's share of the sums, and the priors; counts if asked for."""
        prior = np.asarray(model.class_prior_)
        parts = [prior[:, None] * model.theta_, prior[:, None] * model.var_, prior]
        return np.concatenate([np.ravel(p) for p in (*parts, *([model.class_count_] if self.counts else []))])

    def probability(self, model: Any, X: FloatArray) -> FloatArray:
        """The library's own predict_proba, of the second class."""
        return np.asarray(model.predict_proba(X)[:, 1], dtype=float)

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {"epsilon": self.epsilon, "bounds": bounds_in(domain)}
        counts = ", model.class_count_" if self.counts else ""
        return write_recipe(
            "GaussianNB",
            settings,
            "X, y",
            "share = model.class_prior_[:, None]",
            f"parts = [share * model.theta_, share * model.var_, share{counts}]",
            "return np.concatenate([np.ravel(part) for part in parts])",
        )
