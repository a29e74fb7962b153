"""The contract of a procedure: valid bounds from fresh draws, and a confirmation that learns nothing.

Procedures are rehearsed on draws whose ε is known, so that nothing is trained.
"""

from functools import cache, cached_property, partial

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.protocols import ChecksClaim, Procedure, StatesCeiling
from mlaudit.statistics import gaussian_dp
from mlaudit.testing.checks import Check, check
from mlaudit.testing.loose_names import describe_loose_methods
from mlaudit.testing.rehearsal import (
    Law,
    RehearsedDraw,
    add_gaussian,
    add_laplace,
    hide,
    make_pilot,
    mislead,
    reveal,
)
from mlaudit.types.checks import with_methods
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.finding import ArmCounts, Evidence, Finding
from mlaudit.types.numbers import measurement
from mlaudit.types.pair import Pair

ALPHA = 0.05
_BUDGET = 240
_OPTIONAL = (ChecksClaim, StatesCeiling)
_NEAR = 0.15  # relative difference of two ceilings: a burn-in may be shorter than it can be
_PLENTY = 800  # draws from which any procedure learns a rule as simple as the label itself
_PURE, _GAUSSIAN = Claim(1.0), Claim(1.0, 1e-5, gaussian=True)
_ONE = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 0.0]))
_TWO = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 1.0]))
# A valid procedure has three false alarms or more in eight audits with probability below 8 · 7 · 6 / 6 · 0.001³.
_AUDITS, _STRICT, _MOST_ALARMS = 8, 0.001, 2


def check_procedure(procedure: Procedure, *, seed: int = 0) -> list[Check]:
    """Check a procedure against what mlaudit expects of it.

    Args:
        procedure: The procedure. One with `check_claim` is rehearsed on a claim that it accepts.
        seed: Seed of coins and outputs.

    Returns:
        One check for each expectation. A valid procedure fails with probability below 1e-6, by false alarms.

    Example:
        >>> from mlaudit.classifiers.logistic import Logistic
        >>> from mlaudit.procedures.progressive import Progressive
        >>> [str(result) for result in check_procedure(Progressive((Logistic(),))) if not result.passed]
        []
    """
    rehearse = cache(partial(_Rehearsal, procedure, seed))  # its audits are shared by all checks
    return [
        check(
            "every optional method it has is known",
            lambda: describe_loose_methods(procedure, *_OPTIONAL),
        ),
        check("it states the error and the steps it was asked for", lambda: rehearse().find_misstated()),
        check("a bound never exceeds its ceiling", lambda: rehearse().find_above_ceiling()),
        check("the ceiling that it states beforehand is near that of its bound", lambda: rehearse().find_misjudged()),
        check("it counts no more than it drew", lambda: rehearse().find_overcounted()),
        check("pilot draws do not count", lambda: rehearse().find_counted_pilot()),
        check("two steps have a lower ceiling than one", lambda: rehearse().find_stepless()),
        check("it refutes the claim of a mechanism that hides nothing", lambda: rehearse().find_powerless()),
        check("the same draws give the same bound", lambda: rehearse().find_unrepeated()),
        check("a confirmation counts the witness that it is given", lambda: rehearse().find_unconfirmed()),
        check("a confirmation learns nothing", lambda: rehearse().find_learning()),
        check("it rarely refutes a claim that holds", lambda: rehearse().find_false_alarms()),
    ]


class _Rehearsal:
    """A procedure, the claim that it is rehearsed on, and the audits made so far."""

    def __init__(self, procedure: Procedure, seed: int) -> None:
        self.procedure = with_methods("it", procedure, "a procedure", ["__call__", "confirm"], "write both")
        self.seed = seed
        self.claim = _claim_of(procedure)
        self.made: dict[tuple[object, ...], Finding] = {}

    def find_misstated(self) -> str:
        for pair in (_ONE, _TWO):
            bound = self._run(reveal, pair=pair).bound
            if (bound.alpha, bound.steps) != (ALPHA, pair.steps(self.claim.relation)):
                return (
                    f"asked for an error of {ALPHA} and {pair.rows} steps, the bound states {bound.alpha} and "
                    f"{bound.steps}; pass alpha and pair.steps(claim.relation) on to the Bound"
                )
        return ""

    def find_above_ceiling(self) -> str:
        for law in (reveal, self._honest):
            bound = self._run(law).bound
            if not bound.epsilon <= bound.ceiling < np.inf:
                return (
                    f"a bound of {measurement(bound.epsilon)} has the ceiling {measurement(bound.ceiling)}; "
                    "state as ceiling the bound of the best outcome possible"
                )
        return ""

    def find_misjudged(self) -> str:
        if not isinstance(self.procedure, StatesCeiling):
            return ""
        stated, found = self.procedure.ceiling(self.claim, 1, _BUDGET, ALPHA), self._run(reveal).bound.ceiling
        if abs(stated - found) <= _NEAR * found:
            return ""
        two = f"it states a ceiling of {measurement(stated)} beforehand, and {measurement(found)} with its bound"
        return f"{two}; compute both for the same counts"

    def find_overcounted(self) -> str:
        draw = RehearsedDraw(reveal, _BUDGET, self.seed)
        counted = count_draws(self._call(draw).evidence)
        if counted > len(draw.labels):
            return f"{counted} trainings were counted of {len(draw.labels)} that were drawn; count each draw once"
        return "" if counted else "no training was counted; state the evidence of the bound"

    def find_counted_pilot(self) -> str:
        """The pilot reveals everything and the draws nothing: what was learned is worthless, and must not count."""
        pilot = make_pilot(reveal, 4 * _BUDGET)
        draw = RehearsedDraw(hide, _BUDGET, self.seed, pilot)
        finding = self._call(draw, alpha=1e-6)
        counted = count_draws(finding.evidence)
        if counted > len(draw.labels):
            return (
                f"{counted} trainings were counted, and {len(draw.labels)} drawn after the pilot; count those alone"
            )
        refuted = finding.bound.epsilon > self.claim.epsilon
        return (
            ""
            if not refuted
            else "draws that hide everything refuted the claim; learn from the pilot, never count it"
        )

    def find_stepless(self) -> str:
        one, two = (self._run(reveal, pair=pair).bound.ceiling for pair in (_ONE, _TWO))
        if two < 0.9 * one:
            return ""
        ceilings = f"the ceiling is {measurement(one)} for one step and {measurement(two)} for two"
        return f"{ceilings}; divide by pair.steps(claim.relation)"

    def find_powerless(self) -> str:
        bound = self._run(reveal, budget=_PLENTY).bound.epsilon
        if bound > self.claim.epsilon:
            return ""
        found = f"{_PLENTY} draws that reveal their label gave ε ≥ {measurement(bound)}"
        return f"{found}; learn from draws, or count more of them"

    def find_unrepeated(self) -> str:
        first = self._run(self._honest).bound
        second = self._call(RehearsedDraw(self._honest, _BUDGET, self.seed)).bound
        return "" if first == second else "two audits of the same draws differ; take randomness from draw.coins alone"

    def find_unconfirmed(self) -> str:
        finding = self._run(reveal, budget=_PLENTY)
        again = self._confirm(reveal, finding)
        if again.witness.scorer is not finding.witness.scorer:
            return "the confirmation returned another rule; pass the finding's witness on"
        if again.bound.epsilon > self.claim.epsilon:
            return ""
        return f"a total leak was confirmed as ε ≥ {measurement(again.bound.epsilon)}; count finding.witness"

    def find_learning(self) -> str:
        """Draws that turn round what the witness has learned: counted by its rule alone, they show nothing."""
        bound = self._confirm(mislead, self._run(reveal, budget=_PLENTY)).bound.epsilon
        if bound <= self.claim.epsilon:
            return ""
        return f"draws that contradict the witness gave ε ≥ {measurement(bound)}; count its rule, and learn no other"

    def find_false_alarms(self) -> str:
        alarms = sum(
            self._run(self._honest, alpha=_STRICT, audit=audit).bound.epsilon > self.claim.epsilon
            for audit in range(1, _AUDITS + 1)
        )
        if alarms <= _MOST_ALARMS:
            return ""
        return (
            f"{alarms} of {_AUDITS} audits at an error of {_STRICT} refuted a claim that holds; count only draws "
            "that nothing was learned from, and bound them at alpha"
        )

    @cached_property
    def _honest(self) -> Law:
        """Draws of a mechanism that is exactly as private as the claim."""
        if self.claim.delta == 0:
            return add_laplace(self.claim.epsilon)
        return add_gaussian(float(gaussian_dp.mu_of(self.claim.epsilon, self.claim.delta)))

    def _run(
        self, law: Law, *, pair: Pair = _ONE, alpha: float = ALPHA, budget: int = _BUDGET, audit: int = 0
    ) -> Finding:
        """An audit of these draws, made once."""
        key = (law, pair.rows, alpha, budget, audit)
        if key not in self.made:
            self.made[key] = self._call(RehearsedDraw(law, budget, self.seed + audit), pair, alpha)
        return self.made[key]

    def _call(self, draw: RehearsedDraw, pair: Pair = _ONE, alpha: float = ALPHA) -> Finding:
        finding = self.procedure(draw, self.claim, pair, alpha)
        if not isinstance(finding, Finding):
            raise InvalidInput(f"a procedure must return a Finding, got {type(finding).__name__}; return Finding(…)")
        return finding

    def _confirm(self, law: Law, finding: Finding) -> Finding:
        draw = RehearsedDraw(law, _BUDGET, self.seed + 100)
        again: Finding = self.procedure.confirm(draw, self.claim, _ONE, ALPHA, finding)
        return again


def _claim_of(procedure: Procedure) -> Claim:
    """The first claim that the procedure does not refuse."""
    if not isinstance(procedure, ChecksClaim):
        return _PURE
    try:
        procedure.check_claim(_PURE)
    except InvalidInput:
        return _GAUSSIAN
    return _PURE


def count_draws(evidence: Evidence) -> int:
    """How many trainings a bound was counted on.

    >>> count_draws(ArmCounts(3, 1, 10, 10))
    20
    """
    if isinstance(evidence, ArmCounts):
        return evidence.trials + evidence.false_trials
    return evidence.counted
