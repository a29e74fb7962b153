"""The kit of surrogates tells every way in which a surrogate can break its contract."""

from dataclasses import dataclass

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told
from numpy.random import default_rng
from scipy.special import expit

from mlaudit.testing.surrogate import check_surrogate
from mlaudit.types.arrays import FloatArray

RNG = default_rng(0)


@dataclass(frozen=True)
class Healthy:
    """Logistic regression on two columns."""

    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        return np.asarray((expit(x @ np.array([1.0, -0.5])) - label) * x)

    def hessian(self) -> FloatArray:
        return np.array([[2.0, 0.5], [0.5, 1.0]])


class Diagonal(Healthy):
    def hessian(self) -> FloatArray:
        return np.ones(2)


class Lopsided(Healthy):
    def hessian(self) -> FloatArray:
        return np.array([[2.0, 0.5], [0.0, 1.0]])


class Infinite(Healthy):
    def hessian(self) -> FloatArray:
        return np.full((2, 2), np.inf)


class Flat(Healthy):
    def hessian(self) -> FloatArray:
        return np.array([[1.0, 1.0], [1.0, 1.0 - 1e-3]])


class WithoutIntercept(Healthy):
    def hessian(self) -> FloatArray:
        return np.eye(3)


class Overflowing(Healthy):
    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        with np.errstate(all="ignore"):
            e = np.exp(np.abs(x).sum())
            return np.asarray((e / (1 + e) - label) * x)


class LabelBlind(Healthy):
    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        return np.asarray(x)


class Restless(Healthy):
    def hessian(self) -> FloatArray:
        return np.eye(2) * RNG.uniform(1.0, 2.0)


class RestlessGradient(Healthy):
    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        return RNG.uniform(1.0, 2.0) * super().loss_gradient(x, label)


class Wide(Healthy):
    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        return x[[200, 201]]


SYMMETRIC, DEFINITE = "the Hessian is a symmetric matrix", "the Hessian is positive definite"
GRADIENT, LABELS = "a row's gradient has a number for each parameter", "the two labels pull in opposite directions"
SAME = "the same call gives the same numbers"
FAULTS = [
    Fault(Diagonal(), SYMMETRIC, "its shape is (2,)"),
    Fault(Lopsided(), SYMMETRIC, "it differs from its transpose"),
    Fault(Infinite(), SYMMETRIC, "or is not finite"),
    Fault(object(), SYMMETRIC, "got object"),
    Fault(Flat(), DEFINITE, "its lowest eigenvalue is -"),
    Fault(WithoutIntercept(), GRADIENT, "3 parameters have a gradient of shape (2,)"),
    Fault(Overflowing(), GRADIENT, "is not finite"),
    Fault(Wide(), GRADIENT, "got none that it takes"),
    Fault(LabelBlind(), LABELS, "point the same way"),
    Fault(Restless(), SAME, "two calls differ"),
    Fault(RestlessGradient(), SAME, "two calls differ"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_surrogate_is_told(fault: Fault) -> None:
    assert_told(fault, check_surrogate(fault.part))


@pytest.mark.parametrize("columns", [None, 2])
def test_a_fault_is_not_invented(columns: int | None) -> None:
    assert_healthy(check_surrogate(Healthy(), columns))


def test_every_check_can_fail() -> None:
    assert_every_check_can_fail(FAULTS, check_surrogate(Healthy()))


def test_another_number_of_columns_is_told() -> None:
    assert not all(check.passed for check in check_surrogate(Healthy(), 3))
