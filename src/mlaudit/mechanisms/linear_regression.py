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
from mlaudit.types.domain import Box, Domain, label_range_of
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class LinearRegression:
    """diffprivlib's LinearRegression with both bounds from the domain; τ is every coefficient and the intercept.

    The labels are the numbers to be predicted, and lie between the least and the greatest label of D.
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

    traits = Traits(library="diffprivlib", uses_target=False, targets="numbers")

    def domain(self, data: Dataset) -> Box:
        """The smallest box around D, with D's two labels, or with the range of its labels where there are more."""
        if data.y is None or data.y.dtype.kind not in "biuf":
            raise InvalidInput("linear_regression predicts numbers, got labels that are none; encode them as numbers")
        if len(np.unique(data.y)) == 2:
            return box_of(data)
        return Box.enclosing(data.X, label_range=(float(data.y.min()), float(data.y.max())))

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        box = require_domain(Box, data)
        estimator = models().LinearRegression(
            epsilon=self.epsilon,
            bounds_X=(box.low, box.high),
            bounds_y=_label_bounds(box),
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
            "bounds_y": _label_bounds(domain),
            "fit_intercept": self.intercept,
        }
        last = "model.intercept_" if self.intercept else "[]"
        return write_recipe(
            "LinearRegression",
            settings,
            "X, y",
            f"return np.append(np.ravel(model.coef_), {last})",
        )


def _label_bounds(domain: Domain | None) -> tuple[float, float]:
    """The least and the greatest label of the domain."""
    ends = label_range_of(domain) or tuple(label for label in labels_in(domain) if isinstance(label, int | float))
    if not ends:
        raise InvalidInput("linear_regression predicts numbers, got labels that are none; encode them as numbers")
    return min(ends), max(ends)
