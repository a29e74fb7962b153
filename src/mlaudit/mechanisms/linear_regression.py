"""Linear regression of diffprivlib: noise on the coefficients of the squared loss (functional mechanism)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput
from mlaudit.mechanisms._diffprivlib import box_of, domain_as, models, private_settings, strictly_private
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import flag
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box


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

    library = "diffprivlib"
    uses_target = False

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D."""
        return box_of(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = domain_as(Box, data)
        ends = [label for label in box.labels or () if isinstance(label, int | float)]
        if not ends:
            raise InvalidInput("linear_regression predicts numbers, got labels that are none; encode them as numbers")
        learner = models().LinearRegression(
            epsilon=self.epsilon,
            bounds_X=(box.low, box.high),
            bounds_y=(min(ends), max(ends)),
            fit_intercept=self.intercept,
            **private_settings(seed),
        )
        with strictly_private():
            return learner.fit(data.X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """Coefficients, then the intercept."""
        return np.append(np.ravel(model.coef_), model.intercept_ if self.intercept else [])
