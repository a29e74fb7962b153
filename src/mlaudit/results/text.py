"""The result as sentences that a reviewer can quote."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtrc, expit

from mlaudit.statistics.e_process import log_wealth
from mlaudit.statistics.group_privacy import group_delta
from mlaudit.types import numbers
from mlaudit.types.finding import ArmCounts, Bets, GuessCounts
from mlaudit.types.numbers import confidence, count, measurement, parameter, percent, plural

if TYPE_CHECKING:  # the class calls these functions
    from mlaudit.results.audit_result import AuditResult, Provenance

_SAMPLERS = {
    "library": "{library}'s own fit was called for every training",
    "mirror": "a seed-exact mirror of {library}'s own fit, compared with it on a few trainings",
    "batched": "a batched implementation of {library} drew many trainings at once",
    "function": "the mechanism's own code was called for every training",
}


def render(result: "AuditResult") -> str:
    """All there is to say about an audit, in a dozen lines."""
    made, bound = result.provenance, result.finding.bound
    procedure = f"{made.procedure.get('type', '')} ({bound.method})"
    lines = [
        f"{made.mechanism} claims {result.claim}.",
        headline(result),
        support(result),
        *confirmation_lines(result),
        "",
        f"  attack      {result.attack}: {distance_text(result)}",
        f"  procedure   {procedure}, {plural(made.trainings, 'training')}, seed {made.seed}",
        f"  ceiling     {_ceiling(result)}",
        f"  audited     {sampler_text(made)}",
        f"  versions    {', '.join(f'{k} {v}' for k, v in made.versions.items())}",
        *(f"  note        {note}" for note in made.notes),
    ]
    return "\n".join(lines)


def headline(result: "AuditResult") -> str:
    """The bound and the verdict in one sentence."""
    bound, claim = result.finding.bound, result.claim
    sure, claimed = confidence(bound.alpha), parameter(claim.epsilon)
    if bound.epsilon == 0:
        return (
            f"With {confidence(bound.alpha)} confidence these trainings show no leakage: the lower bound on ε is 0."
        )
    implied = f" (as implied under {bound.assuming})" if bound.assuming else ""
    shown = numbers.bound(bound.epsilon, claim.epsilon)
    found = f"With {sure} confidence the true ε is at least {shown}{implied}"
    if result.verdict == "unconfirmed":
        return (
            f"UNCONFIRMED: the batched sampler shows an ε of at least {shown}, above the claimed {claimed}; "
            f"{_library(result.provenance)}'s own fit does not. The two differ, and neither number is a result."
        )
    if result.violated:
        return f"VIOLATION: {found[0].lower()}{found[1:]}, above the claimed {claimed}."
    if bound.epsilon > claim.epsilon:
        return f"{found}: above the claim, which does not say {bound.assuming} and so is not refuted."
    return f"{found}; the claim of {claimed} is consistent with that."


def support(result: "AuditResult") -> str:
    """The counts behind the bound."""
    evidence = result.finding.evidence
    complement = result.finding.witness.complement
    if isinstance(evidence, ArmCounts):
        return _arms(evidence, complement=complement)
    return _bets(evidence, result) if isinstance(evidence, Bets) else _guesses(evidence, result)


def confirmation_lines(result: "AuditResult") -> list[str]:
    """What the library's own fit said to a violation found in batches."""
    tried = result.confirmation
    if tried is None:
        return []
    found = numbers.bound(tried.bound.epsilon, result.claim.epsilon)
    fate = "Confirmed on" if result.violated else "Not confirmed on"
    fresh = f"{count(tried.trainings)} fresh trainings, seed {tried.seed}"
    return [f"{fate} {_library(result.provenance)}'s own fit: ε of at least {found} in {fresh}."]


def sampler_text(made: "Provenance") -> str:
    """What the trainings were drawn by."""
    return _SAMPLERS[made.sampler].format(library=_library(made))


def _library(made: "Provenance") -> str:
    return made.stands_for or ("the mechanism" if made.sampler == "batched" else "the library")


def _arms(counts: ArmCounts, *, complement: bool) -> str:
    first, second = ("D′", "D") if complement else ("D", "D′")
    return (
        f"The output fell into S in {count(counts.hits)} of {count(counts.trials)} fresh trainings on {first} and in "
        f"{count(counts.false_hits)} of {count(counts.false_trials)} on {second}."
    )


def _guesses(counts: GuessCounts, result: "AuditResult") -> str:
    """The right guesses in the prefix that says most: the least likely one at the ε that was shown."""
    bound, claim = result.finding.bound, result.claim
    shown = float(expit(bound.steps * bound.epsilon))
    right, made = min(
        zip(counts.correct, counts.guesses, strict=True), key=lambda prefix: bdtrc(prefix[0] - 1, prefix[1], shown)
    )
    share = f"Of its {count(made)} most confident guesses {count(right)} ({percent(right / made)}) were right"
    if bound.assuming:
        return f"{share}."
    apart = f", {bound.steps} steps apart," if bound.steps > 1 else ""
    # What δ gives away may all be among the surest guesses.
    leak = min(1.0, float(group_delta(claim.epsilon, claim.delta, bound.steps)) * counts.counted / made)
    q = float(expit(bound.steps * claim.epsilon))
    allowed, delta = percent(q + (1 - q) * leak), f" and δ = {parameter(claim.delta)}" if claim.delta else ""
    return f"{share}; under ε = {parameter(claim.epsilon)}{delta}{apart} at most {allowed} can be expected."


def _bets(bets: Bets, result: "AuditResult") -> str:
    """What was bet, what was won, and how probable that is under the claim."""
    won = float(np.exp(log_wealth(bets, result.claim, result.finding.bound.steps).max(initial=0.0)))
    right = f"{count(int(bets.right.sum()))} of {count(bets.counted)} guesses were right"
    share = f"After {count(bets.spent)} trainings {right}"
    times = measurement(won, 3 if won < 1e6 else 2)
    alpha = result.finding.bound.alpha
    rare = f"under the claim that reaches {measurement(1 / alpha)} in at most {percent(alpha)} of audits"
    return f"{share}, and betting on them multiplied a wealth by {times}; {rare}."


def _ceiling(result: "AuditResult") -> str:
    ceiling = result.finding.bound.ceiling
    hollow = "" if ceiling > result.claim.epsilon else "; below the claim, which it could not have refuted"
    return f"{numbers.ceiling(ceiling)}: the highest ε that this audit could have shown{hollow}"


def distance_text(result: "AuditResult") -> str:
    """How far D and D′ are apart."""
    k, steps, relation = result.pair.rows, result.finding.bound.steps, result.claim.relation.value
    return f"{plural(k, 'row')} of D changed, {plural(steps, 'step')} under {relation}"
