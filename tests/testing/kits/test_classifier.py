"""The kit of classifiers tells every way in which a classifier can break its contract."""

from dataclasses import dataclass

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told
from numpy.random import default_rng

from mlaudit.testing.classifier import check_classifier
from mlaudit.types.arrays import FloatArray, IntArray

RNG = default_rng(0)


@dataclass(frozen=True)
class Cut:
    """Surer than chance above a value."""

    at: float
    odds: float = 1.0

    def __call__(self, z: FloatArray) -> FloatArray:
        return np.where(z[:, 0] > self.at, self.odds, -self.odds)


@dataclass(frozen=True)
class Healthy:
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        return Cut(float(np.median(z[:, 0])))


class Picky(Healthy):
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        if len(z) < 10:
            raise ValueError("needs ten outputs")
        return super().fit(z, labels)


class Unlimited(Healthy):
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        apart = z[labels == 1, 0].min() > z[labels == 0, 0].max()
        return Cut(0.0, np.inf if apart else 1.0)


class TurnedScores(Healthy):
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        return Cut(super().fit(z, labels).at, -1.0)


class Rolling(Healthy):
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        return Cut(float(RNG.choice(z[labels == 1, 0])))


class Writing(Healthy):
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        z -= z.mean(axis=0)
        return Cut(0.0)


class Relabelling(Healthy):
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        labels[labels == 0] = -1
        return super().fit(z, labels)


@dataclass(frozen=True)
class Ranked(Cut):
    def __call__(self, z: FloatArray) -> FloatArray:
        return np.where(z[:, 0] > np.median(z[:, 0]), 1.0, -1.0)


class Comparing(Healthy):
    def fit(self, z: FloatArray, labels: IntArray) -> Cut:
        return Ranked(0.0)


@dataclass
class Thawed:
    at: float

    def __call__(self, z: FloatArray) -> FloatArray:
        return np.where(z[:, 0] > self.at, 1.0, -1.0)


class Thawing:
    def fit(self, z: FloatArray, labels: IntArray) -> Thawed:
        return Thawed(0.0)


@dataclass(frozen=True)
class Model:
    fitted: object

    def __call__(self, z: FloatArray) -> FloatArray:
        return np.where(z[:, 0] > 0, 1.0, -1.0)


class KeepsAnObject:
    def fit(self, z: FloatArray, labels: IntArray) -> Model:
        return Model(object())


class Growing(Healthy):
    """Grows: its last draws are as good as all of them."""

    def __init__(self, sign: float = 1.0) -> None:
        self.sign = sign

    def start(self, known: object) -> "Growing":
        return Growing(self.sign)

    def add(self, z: FloatArray, labels: IntArray) -> None:
        self.scorer = self.fit(z, labels)

    def score(self, z: FloatArray) -> FloatArray:
        return np.asarray(self.sign * self.scorer(z))


ANY, HIGHER = "it learns from any finite outputs, few or many", "outputs on D score higher than outputs on D′"
SAME, UNTOUCHED = "the same draws give the same scorer", "it leaves the draws as they are"
ALONE, FROZEN = "a score depends on its own row alone", "its scorer is a frozen dataclass"
KEPT, GROWN = "a result file keeps its scorer", "further draws are learned, too, if it grows"
FAULTS = [
    Fault(Picky(), ANY, "on few outputs: ValueError: needs ten outputs"),
    Fault(Unlimited(), ANY, "on few outputs: the row"),
    Fault(TurnedScores(), HIGHER, "score -1 on D and 1 on D′"),
    Fault(Rolling(), SAME, "two fits on the same draws differ"),
    Fault(Writing(), UNTOUCHED, "fit changed the draws in place"),
    Fault(Relabelling(), UNTOUCHED, "fit changed the draws in place"),
    Fault(Comparing(), ALONE, "score differently when others are scored beside them"),
    Fault(Thawing(), FROZEN, "Thawed is a dataclass that can change"),
    Fault(KeepsAnObject(), KEPT, "only frozen dataclasses of numbers can be saved"),
    Fault(Growing(sign=-1.0), GROWN, "outputs that lie far apart are not told apart"),
    Fault(Growing(sign=2.0), GROWN, "its scorer gives other scores than the learner"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_classifier_is_told(fault: Fault) -> None:
    # Fails for a correct program with probability < 1e-9: the generator's seed is fixed.
    assert_told(fault, check_classifier(fault.part))


def test_every_check_can_fail() -> None:
    checks = check_classifier(Healthy())
    assert_healthy(checks)
    assert_healthy(check_classifier(Growing()))
    assert_every_check_can_fail(FAULTS, checks)
