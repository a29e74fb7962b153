"""The paper's influence attack: climb to the point in the domain that moves the fitted parameters most."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.linalg import cho_factor, cho_solve

from mlaudit.attacks._rows import corner_distance, find_classes, other_class, poison_rows, two_classes
from mlaudit.attacks._surrogates import HasSurrogate, LogisticSurrogate, Surrogate
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import positive, whole
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Label
from mlaudit.types.pair import Pair

Climb = tuple[float, FloatArray]
_GAIN = 1e-9  # relative gain below which two points are equally good


@dataclass(frozen=True)
class Influence:
    """For logistic regression, and any learner whose surrogate has a gradient and a Hessian.

    x* starts at the mean of one class with the label of the other, and follows the projected gradient of ‖I(x*)‖; the
    best point on the way is taken. Both labels are tried. It replaces the rows of its label nearest a corner.

    Of more than two classes each is set against all others, as in one-vs-rest regression: x* starts at the mean of
    the others with the label of the class, and moves that class's parameters.
    """

    iterations: int = 200
    step: float = 0.2

    def __post_init__(self) -> None:
        whole("iterations", self.iterations, 0)
        positive("step", self.step)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` copies of the most influential point found."""
        if not isinstance(mechanism, HasSurrogate):
            raise InvalidInput(f"influence needs a learner with a surrogate, {mechanism_name(mechanism)} has none")
        y, classes = find_classes(data, "influence")
        climbs = self._climb_two(mechanism, data) if len(classes) == 2 else self._climb_each(mechanism, data, classes)
        best = 0
        for i, climb in enumerate(climbs):
            best = i if _better_point(climbs[best], climb) is climb else best
        order = np.argsort(corner_distance(data.X), kind="stable")
        return poison_rows(data, order[y[order] == classes[best]], rows, climbs[best][1], classes[best])

    def _climb_two(self, mechanism: HasSurrogate, data: Dataset) -> "list[Climb]":
        y, classes = two_classes(data, "influence")
        surrogate = mechanism.surrogate(data)
        starts = [data.X[y == other_class(classes, label)].mean(axis=0) for label in classes]
        return [self.climb(surrogate, data, start, i) for i, start in enumerate(starts)]

    def _climb_each(self, mechanism: HasSurrogate, data: Dataset, classes: tuple[Label, ...]) -> "list[Climb]":
        found = []
        for label in classes:
            mine = np.asarray(data.y == label)
            surrogate = mechanism.surrogate(Dataset(data.X, mine.astype(np.int64)))
            found.append(self.climb(surrogate, data, data.X[~mine].mean(axis=0), 1))
        return found

    def climb(self, surrogate: Surrogate, data: Dataset, start: FloatArray, label: int) -> tuple[float, FloatArray]:
        """‖I‖ and where it is reached, by projected gradient ascent; steps shrink from a share of the spread."""
        norm = _Norm(surrogate)
        reach = self.step * float(np.linalg.norm(data.X.max(axis=0) - data.X.min(axis=0)))
        x, best = _project(data, start), (-np.inf, start)
        for i in range(self.iterations):
            value, gradient = norm(x, label)
            best = _better_point(best, (value, x))
            length = float(np.linalg.norm(gradient))
            if length == 0:
                break
            x = _project(data, x + reach * (1 - i / self.iterations) * gradient / length)
        return _better_point(best, (norm(x, label)[0], x))


@dataclass(frozen=True, eq=False)
class _Norm:
    """‖I(x)‖ and its gradient: in closed form for logistic regression, else by central differences."""

    surrogate: Surrogate

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", cho_factor(self.surrogate.hessian()))

    def __call__(self, x: FloatArray, label: int) -> tuple[float, FloatArray]:
        moved = self._solve(self.surrogate.loss_gradient(x, label))
        norm = float(np.linalg.norm(moved))
        if norm == 0:
            return 0.0, np.zeros_like(x)
        if isinstance(self.surrogate, LogisticSurrogate):
            return norm, self._logistic(self.surrogate, x, label, moved) / norm
        return norm, self._differences(x, label)

    def _solve(self, vector: FloatArray) -> FloatArray:
        return np.asarray(cho_solve(self.factor, vector))  # type: ignore[attr-defined]  # set once, when made

    def _logistic(self, surrogate: LogisticSurrogate, x: FloatArray, label: int, moved: FloatArray) -> FloatArray:
        """Jᵀ H⁻¹(ŷ − y)x for I = H⁻¹(ŷ − y)x, whose Jacobian is (ŷ − y)H⁻¹ + ŷ(1 − ŷ)H⁻¹x θᵀ."""
        lifted = surrogate.lift(x)
        p = float(1.0 / (1.0 + np.exp(-surrogate.theta @ lifted)))
        back = self._solve(moved)
        whole = (p - label) * back + p * (1 - p) * float(back @ lifted) * surrogate.theta
        return np.asarray(whole[: len(x)])

    def _differences(self, x: FloatArray, label: int) -> FloatArray:
        h = 1e-5 * max(1.0, float(np.abs(x).max()))
        steps = h * np.eye(len(x))
        return np.array([(self._value(x + s, label) - self._value(x - s, label)) / (2 * h) for s in steps])

    def _value(self, x: FloatArray, label: int) -> float:
        return float(np.linalg.norm(self._solve(self.surrogate.loss_gradient(x, label))))


def _better_point(best: tuple[float, FloatArray], other: tuple[float, FloatArray]) -> tuple[float, FloatArray]:
    """The other point only if it is clearly better: which of two equal norms is larger is rounding."""
    return other if other[0] > best[0] + _GAIN * abs(other[0]) else best


def _project(data: Dataset, x: FloatArray) -> FloatArray:
    return np.asarray(x if data.domain is None else data.domain.project(x[None, :])[0])
