"""Logistic regression of diffprivlib: objective perturbation (Chaudhuri, Monteleoni and Sarwate 2011)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.attacks._surrogates import LogisticSurrogate
from mlaudit.attacks.influence import Influence
from mlaudit.mechanisms._diffprivlib import ball_of, models, private_settings, refuse_privacy_leaks, require_domain
from mlaudit.mechanisms._diffprivlib_recipe import norm_in, write_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import flag, positive
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain, L2Ball
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits

# Rows have a norm of a few and penalised coefficients are small: only a runaway intercept gets there.
_NO_MINIMISER = 1e3


def flag_missing_minimiser(summary: FloatArray) -> str:
    """What is wrong with a training, if anything."""
    return "an intercept without minimiser (choose another C)" if np.abs(summary).max() > _NO_MINIMISER else ""


@dataclass(frozen=True)
class LogisticObjective:
    """diffprivlib's LogisticRegression with the data norm from the domain; τ is every coefficient and the intercept.

    Of k > 2 classes the library fits k models, each class against all others, and spends ε/k on each; all of their
    coefficients are released.

    Just above ε = 2 ln(1 + 0.25 R C) some noise leaves the intercept without a minimiser, and the library returns
    one of up to 1e19 without a word: such outputs are told apart, counted, and named in the result's notes.
    """

    epsilon: float = 1.0
    C: float = 1.0
    intercept: bool = True

    def __post_init__(self) -> None:
        _ = self.claim
        positive("C", self.C)
        flag("intercept", self.intercept)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP for a replaced row, the number of rows being public."""
        return Claim(self.epsilon)

    traits = Traits(
        library="diffprivlib",
        attacks=(Influence(),),
        uses_target=False,
        targets="classes",
        flag=flag_missing_minimiser,
    )

    def domain(self, data: Dataset) -> L2Ball:
        """The smallest ball around D."""
        return ball_of(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The library's own fit."""
        ball = require_domain(L2Ball, data)
        estimator = models().LogisticRegression(
            epsilon=self.epsilon,
            data_norm=ball.radius,
            C=self.C,
            fit_intercept=self.intercept,
            **private_settings(seed),
        )
        with refuse_privacy_leaks():
            return estimator.fit(data.X, data.y)

    def surrogate(self, data: Dataset) -> LogisticSurrogate:
        """The same objective without noise."""
        return LogisticSurrogate.fit(data, self.C, intercept=self.intercept)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """Coefficients, then the intercept."""
        return np.concatenate([model.coef_.ravel(), model.intercept_.ravel() if self.intercept else []])

    def probability(self, model: Any, X: FloatArray) -> FloatArray:
        """The library's own predict_proba, of the second class."""
        return np.asarray(model.predict_proba(X)[:, 1], dtype=float)

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit with diffprivlib and return the summary."""
        settings = {
            "epsilon": self.epsilon,
            "data_norm": norm_in(domain),
            "C": self.C,
            "fit_intercept": self.intercept,
        }
        last = "model.intercept_" if self.intercept else "[]"
        return write_recipe(
            "LogisticRegression",
            settings,
            "X, y",
            f"return np.append(np.ravel(model.coef_), {last})",
        )
