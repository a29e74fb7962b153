"""Logistic regression with output perturbation (Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 1)."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.special import expit

from mlaudit.attacks._surrogates import LogisticSurrogate
from mlaudit.attacks.influence import Influence
from mlaudit.mechanisms._diffprivlib import ball_of, require_domain
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import positive
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import L2Ball
from mlaudit.types.traits import Traits


@dataclass(frozen=True)
class LogisticOutput:
    """The minimiser of C·Σ loss + ½|w|², plus noise of uniform direction and Gamma(d, 2RC/ε) norm; τ is w.

    In the paper's terms Λ = 1/(nC), so that the L2 sensitivity of a replaced row with |x| ≤ R is 2R/(nΛ) = 2RC.
    There is no intercept: it would not be regularised, and the sensitivity would not hold.
    """

    epsilon: float = 1.0
    C: float = 0.01

    def __post_init__(self) -> None:
        _ = self.claim
        positive("C", self.C)

    @property
    def claim(self) -> Claim:
        """Pure ε-DP for a replaced row, the number of rows being public."""
        return Claim(self.epsilon)

    traits = Traits(attacks=(Influence(),), uses_target=False, targets="two classes")

    def domain(self, data: Dataset) -> L2Ball:
        """The smallest ball around D."""
        return ball_of(data, most=2)

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        """Train, then add the noise."""
        return np.asarray(self.minimiser(data) + self.draw_noise(data, 1, seed)[0])

    def minimiser(self, data: Dataset) -> FloatArray:
        """The non-private minimiser, to a tolerance far below the noise."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - a second to import, which processes that only train are spared

        ball = require_domain(L2Ball, data)
        solver = LogisticRegression(C=self.C, fit_intercept=False, solver="newton-cholesky", tol=1e-10)
        # The solver refuses a single class, which would tell D from D′. Rows of zeros move nothing, and bring both.
        X = np.vstack([ball.project(data.X), np.zeros((2, data.X.shape[1]))])
        y = np.append(np.asarray(data.y) == (ball.labels or (0, 1))[1], [False, True])
        return np.asarray(solver.fit(X, y).coef_[0])

    def draw_noise(self, data: Dataset, n: int, seed: SeedSequence) -> FloatArray:
        """`n` noise vectors of density ∝ e^{−ε|b|/(2RC)}."""
        rng, d = default_rng(seed), data.X.shape[1]
        direction = rng.normal(size=(n, d))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        scale = 2.0 * require_domain(L2Ball, data).radius * self.C / self.epsilon
        return np.asarray(direction * rng.gamma(d, scale, size=(n, 1)))

    def surrogate(self, data: Dataset) -> LogisticSurrogate:
        """The same objective without noise."""
        return LogisticSurrogate.fit(data, self.C, intercept=False)

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        """The coefficients."""
        return model

    def probability(self, model: FloatArray, X: FloatArray) -> FloatArray:
        """P(second class) for each row."""
        return np.asarray(expit(X @ model))
