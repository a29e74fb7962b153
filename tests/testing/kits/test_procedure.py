"""The kit of procedures tells every way in which a procedure can break its contract."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told
from scipy.stats import beta

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Draw
from mlaudit.testing.procedure import check_procedure
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws, join
from mlaudit.types.finding import Bound, Finding, GuessCounts, Witness
from mlaudit.types.pair import Pair

RNG = np.random.default_rng(5)  # of OwnCoins: two counts of right guesses that differ


@dataclass(frozen=True)
class Above:
    """Guesses D above a value."""

    at: float = 0.5
    sign: float = 1.0

    def __call__(self, draws: Draws) -> FloatArray:
        return np.asarray(self.sign * (draws.z[:, 0] - self.at))


def odds(right: int, of: int, alpha: float) -> float:
    """ε from the exact lower bound on how often a guess is right."""
    share = float(beta.ppf(alpha, right, of - right + 1)) if right else 0.0
    return max(0.0, float(np.log(share / (1 - share)))) if share > 0.5 else 0.0


@dataclass(frozen=True)
class Healthy:
    """One rule for all draws: whether the output is above ½."""

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        return self.count(draw(draw.coins(draw.remaining)), Above(), pair.steps(claim.relation), alpha)

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        draws = draw(draw.coins(draw.remaining))
        return self.count(draws, finding.witness.scorer, pair.steps(claim.relation), alpha)

    def count(self, draws: Draws, rule: Any, steps: int, alpha: float) -> Finding:
        right = int(((rule(draws) > 0) == (draws.labels == 1)).sum())
        bound = Bound(
            odds(right, len(draws), alpha) / steps, odds(len(draws), len(draws), alpha) / steps, alpha, steps, ""
        )
        return Finding(bound, GuessCounts((right,), (len(draws),)), Witness(rule))


class OwnAlpha(Healthy):
    def count(self, draws: Draws, rule: Any, steps: int, alpha: float) -> Finding:
        return super().count(draws, rule, steps, alpha / 2)


class OneStep(Healthy):
    def count(self, draws: Draws, rule: Any, steps: int, alpha: float) -> Finding:
        return super().count(draws, rule, 1, alpha)


class LowCeiling(Healthy):
    def count(self, draws: Draws, rule: Any, steps: int, alpha: float) -> Finding:
        found = super().count(draws, rule, steps, alpha)
        return replace(found, bound=replace(found.bound, ceiling=1.0))


class BoastfulCeiling(Healthy):
    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        return 50.0


class Doubles(Healthy):
    def count(self, draws: Draws, rule: Any, steps: int, alpha: float) -> Finding:
        return super().count(join([draws, draws]), rule, steps, alpha)


class CountsNothing(Healthy):
    def count(self, draws: Draws, rule: Any, steps: int, alpha: float) -> Finding:
        return replace(super().count(draws, rule, steps, alpha), evidence=GuessCounts((0,), (0,)))


class CountsPilot(Healthy):
    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        fresh = draw(draw.coins(draw.remaining))
        all_of_them = fresh if draw.pilot is None else join([draw.pilot, fresh])
        return self.count(all_of_them, Above(), pair.steps(claim.relation), alpha)


class CountsOnlyPilot(Healthy):
    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        fresh = draw(draw.coins(draw.remaining))
        counted = fresh if draw.pilot is None else draw.pilot[: len(fresh)]
        return self.count(counted, Above(), pair.steps(claim.relation), alpha)


class Powerless(Healthy):
    def count(self, draws: Draws, rule: Any, steps: int, alpha: float) -> Finding:
        found = super().count(draws, rule, steps, alpha)
        return replace(found, bound=replace(found.bound, epsilon=0.0))


class OwnCoins(Healthy):
    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        labels = RNG.integers(0, 2, draw.remaining)
        return self.count(draw(labels), Above(), pair.steps(claim.relation), alpha)


class NewRule(Healthy):
    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        return self(draw, claim, pair, alpha)


class ForgetsTheWitness(Healthy):
    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        found = super().confirm(draw, claim, pair, alpha, finding)
        return replace(found, bound=replace(found.bound, epsilon=0.0))


class LearnsAgain(Healthy):
    """Turns the rule round, if that guesses better."""

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        draws, steps = draw(draw.coins(draw.remaining)), pair.steps(claim.relation)
        found = max((self.count(draws, Above(sign=sign), steps, alpha) for sign in (1.0, -1.0)), key=epsilon)
        return replace(found, witness=finding.witness)


def epsilon(found: Finding) -> float:
    return found.bound.epsilon


class Overfits(Healthy):
    """The best of many rules, counted on what chose it."""

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        found = super().__call__(draw, claim, pair, alpha)
        more = replace(found.bound, epsilon=min(2 * found.bound.epsilon + 1.0, found.bound.ceiling))
        return replace(found, bound=more)


class ReturnsANumber(Healthy):
    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Any:
        return 1.0


class Misspelt(Healthy):
    def check_claims(self, claim: Claim) -> None: ...


class OnlyDelta(Healthy):
    """Healthy, for claims with a δ alone."""

    def check_claim(self, claim: Claim) -> None:
        if claim.delta == 0:
            raise InvalidInput("needs a delta")

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        self.check_claim(claim)
        return super().__call__(draw, claim, pair, alpha)


STATED, CEILING = "it states the error and the steps it was asked for", "a bound never exceeds its ceiling"
STATED_BEFORE = "the ceiling that it states beforehand is near that of its bound"
COUNTED, PILOT = "it counts no more than it drew", "pilot draws do not count"
STEPS, POWER = "two steps have a lower ceiling than one", "it refutes the claim of a mechanism that hides nothing"
SAME, WITNESS = "the same draws give the same bound", "a confirmation counts the witness that it is given"
LEARNS, ALARMS = "a confirmation learns nothing", "it rarely refutes a claim that holds"
FAULTS = [
    Fault(Misspelt(), "every optional method it has is known", "'check_claims'; did you mean check_claim?"),
    Fault(OwnAlpha(), STATED, "the bound states 0.025 and 1"),
    Fault(OneStep(), STATED, "the bound states 0.05 and 1"),
    Fault(ReturnsANumber(), STATED, "must return a Finding, got float"),
    Fault(object(), STATED, "got object"),
    Fault(LowCeiling(), CEILING, "has the ceiling 1"),
    Fault(BoastfulCeiling(), STATED_BEFORE, "it states a ceiling of 50 beforehand"),
    Fault(Doubles(), COUNTED, "480 trainings were counted of 240"),
    Fault(CountsNothing(), COUNTED, "no training was counted"),
    Fault(CountsPilot(), PILOT, "1200 trainings were counted, and 240 drawn after the pilot"),
    Fault(CountsOnlyPilot(), PILOT, "draws that hide everything refuted the claim"),
    Fault(OneStep(), STEPS, "divide by pair.steps(claim.relation)"),
    Fault(Powerless(), POWER, "gave ε ≥ 0"),
    Fault(OwnCoins(), SAME, "two audits of the same draws differ"),
    Fault(NewRule(), WITNESS, "returned another rule"),
    Fault(ForgetsTheWitness(), WITNESS, "was confirmed as ε ≥ 0"),
    Fault(LearnsAgain(), LEARNS, "draws that contradict the witness gave ε ≥"),
    Fault(Overfits(), ALARMS, "8 of 8 audits at an error of 0.001 refuted a claim that holds"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_procedure_is_told(fault: Fault) -> None:
    # Fails for a correct program with probability < 1e-6: every seed is fixed.
    assert_told(fault, check_procedure(fault.part))


@pytest.mark.parametrize("procedure", [Healthy(), OnlyDelta()], ids=lambda part: type(part).__name__)
def test_a_fault_is_not_invented(procedure: Healthy) -> None:
    # Fails for a correct program with probability < 1e-6: by false alarms, whose seeds are fixed.
    assert_healthy(check_procedure(procedure))


def test_every_check_can_fail() -> None:
    assert_every_check_can_fail(FAULTS, check_procedure(Healthy()))
