"""Linear regression of diffprivlib: noise on the coefficients of the squared loss (functional mechanism)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput
from mlaudit.mechanisms._diffprivlib import box_of, models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import bounds_in, labels_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import flag
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class LinearRegression:
    """diffprivlib's LinearRegression with both bounds from the domain; τ is every coefficient and the intercept.

    The labels are the numbers to be predicted, and lie between the least and the greatest of D's classes.
    """

    epsilon: float = 1.0
    intercept: bool = True

    def __post_init__(self) -> None:
        _ = self.claim
        flag("intercept", self.intercept)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP for a replaced row: means get noise for (upper − lower)/n, so that n must be public."""
        return Claim(self.epsilon)

    traits = Traits(library="diffprivlib", uses_target=False)

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D."""
        return box_of(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        ends = [label for label in box.labels or () if isinstance(label, int | float)]
        if not ends:
            raise InvalidInput("linear_regression predicts numbers, got labels that are none; encode them as numbers")
        estimator = models().LinearRegression(
            epsilon=self.epsilon,
            bounds_X=(box.low, box.high),
            bounds_y=(min(ends), max(ends)),
            fit_intercept=self.intercept,
            **private_settings(seed),
        )
        with refuse_privacy_leaks():
            return estimator.fit(data.X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """Coefficients, then the intercept."""
        return np.append(np.ravel(model.coef_), model.intercept_ if self.intercept else [])

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {
            "epsilon": self.epsilon,
            "bounds_X": bounds_in(domain),
            "bounds_y": (min(labels_in(domain)), max(labels_in(domain))),
            "fit_intercept": self.intercept,
        }
        last = "model.intercept_" if self.intercept else "[]"
        return write_recipe(
            "LinearRegression",
            settings,
            "X, y",
            f"return np.append(np.ravel(model.coef_), {last})",
        )
