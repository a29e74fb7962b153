"""The lines that open every result: the verdict, the bound, and what the audit could have seen."""

from math import isinf

from mlaudit.results.verdict import Verdict
from mlaudit.types import numbers
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound
from mlaudit.types.numbers import ceiling, confidence, parameter

VERDICT_NAMES: dict[str, str] = {
    "violated": "Violated",
    "not_repeated": "Not repeated",
    "inconclusive": "Inconclusive",
    "not_refuted": "Not refuted",
}
NO_PROOF = "A lower bound cannot prove the claim."
_WIDTH = 14


def title_line(verdict: Verdict, name: str, claim: Claim) -> str:
    """The verdict, the learner and its claim.

    >>> title_line("not_refuted", "laplace", Claim(1.0, 1e-5))
    'NOT REFUTED   laplace, claim ε = 1, δ = 1e-05 (replace-one)'
    """
    return f"{VERDICT_NAMES[verdict].upper():<{_WIDTH}}{name}, claim {claim_text(claim)}"


def claim_text(claim: Claim) -> str:
    """The claim with its neighbour relation in brackets.

    >>> claim_text(Claim(0.5))
    'ε = 0.5 (replace-one)'
    >>> claim_text(Claim(0.5, unit="user_id"))
    'ε = 0.5 (replace-one, unit user_id)'
    """
    delta = f", δ = {parameter(claim.delta)}" if claim.delta else ""
    return f"ε = {parameter(claim.epsilon)}{delta} ({claim.neighbours})"


def bound_text(bound: Bound, claim: Claim) -> str:
    """The lower bound with its confidence, without a full stop.

    >>> bound_text(Bound(0.876, 7.0, 0.05, 1, "nested scan"), Claim(1.0))
    'Lower bound: ε ≥ 0.876 with 95 % confidence'
    """
    implied = f", implied under {bound.assuming}" if bound.assuming else ""
    nothing = ": these trainings show no leakage" if bound.epsilon == 0 else ""
    shown = numbers.bound(bound.epsilon, claim.epsilon)
    return f"Lower bound: ε ≥ {shown} with {confidence(bound.alpha)} confidence{implied}{nothing}"


def tightness_text(detectable: float, shown_by: str = "this pair shows") -> str:
    """The smallest violation that the audit would have detected.

    >>> tightness_text(1.1234)
    'A true ε of 1.13 or more, if this pair shows it, would have been detected with probability 90 %.'
    """
    if isinf(detectable):
        return "No violation would have been detected with a probability of 90 %: use more trainings."
    shown = numbers.upwards(detectable)
    return f"A true ε of {shown} or more, if {shown_by} it, would have been detected with probability 90 %."


def hollow_text(bound: Bound, claim: Claim) -> str:
    """Why the audit could not have refuted the claim.

    >>> hollow_text(Bound(0.1, 0.627, 0.05, 8, "nested scan"), Claim(1.0))
    'This audit could not have refuted the claim: the largest ε it could show is 0.627.'
    """
    if bound.ceiling > claim.epsilon:
        why = f"the bound assumes {bound.assuming}, which the claim does not state"
    else:
        why = f"the largest ε it could show is {ceiling(bound.ceiling)}"
    return f"This audit could not have refuted the claim: {why}."
