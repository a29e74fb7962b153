"""Steer the refitted coefficients towards a target perpendicular to them (Ma, Zhu and Hsu 2019); an ablation."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from mlaudit.attacks._rows import corner_distance, nearest_of_class, other_class, poison_rows, two_classes
from mlaudit.attacks._surrogates import HasSurrogate, LogisticSurrogate
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import positive, whole
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Coefficient:
    """For logistic regression: gradient descent on x* so that the refitted θ′ heads for a θ turned by 90°."""

    iterations: int = 40
    step: float = 0.2

    def __post_init__(self) -> None:
        whole("iterations", self.iterations, 0)
        positive("step", self.step)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` copies of the point that turns θ most."""
        y, classes = two_classes(data, "coefficient")
        order = nearest_of_class(corner_distance(data.X), y)
        label = y[order[0]]
        theta = _refit(mechanism, data).theta
        goal = _perpendicular_vector(theta, rng)
        x = data.X[y == other_class(classes, label)].mean(axis=0)
        reach = self.step * float(np.linalg.norm(data.X.max(axis=0) - data.X.min(axis=0)))
        best = (np.inf, x)
        for i in range(self.iterations):
            pair = poison_rows(data, order, rows, x, label)
            x = np.asarray(pair.target)
            model = _refit(mechanism, pair.neighbour)
            best = min(best, (float(np.linalg.norm(model.theta - goal)), x), key=lambda found: found[0])
            slope = _slope(model, goal, x, int(label == classes[1]))
            x = x - reach * (1 - i / self.iterations) * slope / max(float(np.linalg.norm(slope)), 1e-300)
        return poison_rows(data, order, rows, best[1], label)


def _refit(mechanism: Mechanism, data: Dataset) -> LogisticSurrogate:
    model = mechanism.surrogate(data) if isinstance(mechanism, HasSurrogate) else None
    if not isinstance(model, LogisticSurrogate):
        raise InvalidInput(f"coefficient is an attack on logistic regression, got {mechanism_name(mechanism)}")
    return model


def _perpendicular_vector(theta: FloatArray, rng: Generator) -> FloatArray:
    """A vector as long as θ at a right angle to it; −θ where there is but one dimension."""
    if len(theta) == 1:
        return -theta
    other = rng.normal(size=len(theta))
    other -= theta * float(other @ theta) / max(float(theta @ theta), 1e-300)
    return np.asarray(other * np.linalg.norm(theta) / np.linalg.norm(other))


def _slope(model: LogisticSurrogate, goal: FloatArray, x: FloatArray, label: int) -> FloatArray:
    """The gradient of ½|θ′ − goal|² in x, by the implicit function theorem: dθ′/dx = −H⁻¹ ∂∇L/∂x."""
    lifted = model.lift(x)
    p = float(expit(model.theta @ lifted))
    back = -np.linalg.solve(model.hessian(), model.theta - goal)
    whole = (p - label) * back + p * (1 - p) * float(back @ lifted) * model.theta
    return np.asarray(whole[: len(x)], dtype=float)
