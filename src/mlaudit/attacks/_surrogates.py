"""Non-private surrogates M∞ of a learner, to find the point x* that influences it most."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.special import expit

from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset


class Surrogate(Protocol):
    """A fitted smooth model: I(x, y) = −H⁻¹ ∇L(x, y) is how one more row (x, y) moves its parameters."""

    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        """∇L at the fitted parameters; the label is 0 or 1."""

    def hessian(self) -> FloatArray:
        """H of the whole objective at the fitted parameters."""


@runtime_checkable
class HasSurrogate(Protocol):
    """A mechanism that offers a surrogate."""

    def surrogate(self, data: Dataset) -> Surrogate:
        """M∞ fitted on D."""


@dataclass(frozen=True, eq=False)
class LogisticSurrogate:
    """Logistic regression with penalty |w|²/(2C); the intercept, if any, is the last parameter and is free."""

    X: FloatArray
    theta: FloatArray
    penalty: FloatArray

    @classmethod
    def fit(cls, data: Dataset, C: float, *, intercept: bool) -> "LogisticSurrogate":
        """Fit on D; the second of its two classes is 1."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - a second to import, which processes that only train are spared

        rows = np.hstack([data.X, np.ones((len(data), 1))]) if intercept else data.X
        labels = np.unique(np.asarray(data.y), return_inverse=True)[1]
        model = LogisticRegression(C=C, fit_intercept=intercept, solver="newton-cholesky", tol=1e-8, max_iter=1000)
        model.fit(data.X, labels)
        theta = np.append(model.coef_[0], model.intercept_ if intercept else [])
        penalty = np.full(len(theta), 1.0 / C)
        if intercept:
            penalty[-1] = 0.0
        return cls(rows, theta, penalty)

    def lift(self, x: FloatArray) -> FloatArray:
        """The row with the constant 1 that goes with an intercept."""
        return np.append(x, np.ones(len(self.theta) - len(x)))

    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        """(ŷ − y) x."""
        lifted = self.lift(x)
        return np.asarray((expit(self.theta @ lifted) - label) * lifted)

    def hessian(self) -> FloatArray:
        """XᵀWX + λI with W = diag(ŷ(1 − ŷ))."""
        p = expit(self.X @ self.theta)
        return np.asarray((self.X * (p * (1 - p))[:, None]).T @ self.X + np.diag(self.penalty))


def influence(surrogate: Surrogate, x: FloatArray, label: int) -> FloatArray:
    """I(x, y): the first-order move of the parameters when the row is added."""
    return np.asarray(-np.linalg.solve(surrogate.hessian(), surrogate.loss_gradient(x, label)), dtype=float)
