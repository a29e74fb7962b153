"""The kit of trainers tells every way in which a trainer of canaries can break its contract."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told
from numpy.random import SeedSequence, default_rng

from mlaudit.testing.trainer import check_trainer
from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.claim import Claim, Relation

RNG = default_rng(0)


@dataclass(frozen=True)
class Healthy:
    """Gaussian noise on who is in, and on every step."""

    claim: Any = Claim(1.0, 1e-5, Relation.ADD_REMOVE)  # noqa: RUF009 - frozen
    steps: Any = 10
    rate: Any = 0.5

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return included + default_rng(seed).normal(size=len(included))

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return inserted + default_rng(seed).normal(size=len(inserted))


class OneScore(Healthy):
    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return np.zeros(1)


class NanScore(Healthy):
    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return np.where(included, np.nan, super().scores(included, seed))


class OwnNoise(Healthy):
    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return included + RNG.normal(size=len(included))

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return inserted + RNG.normal(size=len(inserted))


class Unseeded(Healthy):
    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return super().scores(included, SeedSequence(0))

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return super().observe_steps(inserted, SeedSequence(0))


class Writing(Healthy):
    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        included[:] = True
        return super().scores(included, seed)


class Blind(Healthy):
    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return default_rng(seed).normal(size=len(included))


class Turned(Healthy):
    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return -5.0 * super().scores(included, seed) - 5.0 * included


class ShortSteps(Healthy):
    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return super().observe_steps(inserted, seed)[1:]


class InfiniteSteps(Healthy):
    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return np.where(inserted, np.inf, 0.0)


class Foreseeing(Healthy):
    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return np.asarray(super().observe_steps(inserted, seed) + inserted.sum())


class Forgetting(Healthy):
    """The canary of a step shows in the next."""

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return super().observe_steps(np.append(False, inserted[:-1]), seed)


class Neither:
    claim = Claim(1.0, relation=Relation.ADD_REMOVE)


@dataclass(frozen=True)
class ScoresAlone:
    claim: Claim = Claim(1.0, relation=Relation.ADD_REMOVE)  # noqa: RUF009 - frozen

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        return included + default_rng(seed).laplace(size=len(included))


CLAIM, SCORE = "it states a claim for one record added or removed", "every canary has one score"
SAME, OTHER = "the same seed gives the same scores", "another seed gives other scores"
UNTOUCHED, INSIDE = "it leaves `included` as it is", "scores depend on who is in"
HIGHER, STEPS = "canaries that are in do not score lower", "it states its steps and its sampling rate"
FINITE, SAME_STEPS = "every step shows finite numbers", "the same seed gives the same steps"
OTHER_STEPS, LATER = "another seed gives other steps", "a step depends on no later canary"
FAULTS = [
    Fault(Healthy(claim=1.0), CLAIM, "its claim is float"),
    Fault(Healthy(claim=Claim(1.0, 1e-5)), CLAIM, "its claim is replace-one"),
    Fault(Neither(), CLAIM, "it has neither scores nor observe_steps"),
    Fault(OneScore(), SCORE, "200 canaries gave scores of shape (1,)"),
    Fault(NanScore(), SCORE, "a score is NaN"),
    Fault(OwnNoise(), SAME, "two trainings with one seed differ"),
    Fault(Unseeded(), OTHER, "two seeds gave"),
    Fault(Writing(), UNTOUCHED, "was changed in place"),
    Fault(Blind(), INSIDE, "the scores are the same with no canary and with all"),
    Fault(Turned(), HIGHER, "canaries that are in score lower"),
    Fault(Healthy(steps=0), STEPS, "steps must be a whole number of at least 1, got 0"),
    Fault(Healthy(rate=2.0), STEPS, "its sampling rate is 2.0"),
    Fault(Healthy(Claim(1.0, relation=Relation.ADD_REMOVE)), STEPS, "its claim has δ = 0"),
    Fault(ShortSteps(), FINITE, "10 steps gave an array of shape (9, 1)"),
    Fault(InfiniteSteps(), FINITE, "a step gave NaN or infinity"),
    Fault(OwnNoise(), SAME_STEPS, "two trainings with one seed differ"),
    Fault(Unseeded(), OTHER_STEPS, "two seeds gave"),
    Fault(Foreseeing(), LATER, "changed what earlier steps show"),
    Fault(Forgetting(), LATER, "changed nothing there"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_trainer_is_told(fault: Fault) -> None:
    assert_told(fault, check_trainer(fault.part))


@pytest.mark.parametrize("trainer", [Healthy(), ScoresAlone()], ids=lambda part: type(part).__name__)
def test_a_fault_is_not_invented(trainer: Any) -> None:
    # Fails for a correct program with probability < 1e-8: for scores that point the wrong way by chance.
    assert_healthy(check_trainer(trainer))


def test_every_check_can_fail() -> None:
    assert_every_check_can_fail(FAULTS, check_trainer(Healthy()))
