"""The result as sentences that a reviewer can quote."""

import numpy as np
from scipy.special import bdtrc, expit

from mlaudit.e_process import winnings
from mlaudit.privacy import group_delta
from mlaudit.report.numbers import bound as digits
from mlaudit.report.numbers import ceiling as shown_ceiling
from mlaudit.report.numbers import count
from mlaudit.types.checks import instance
from mlaudit.types.finding import ArmCounts, Bets, GuessCounts
from mlaudit.types.result import AuditResult, Provenance

_SAMPLERS = {
    "library": "{library}'s own fit was called for every training",
    "mirror": "a seed-exact mirror of {library}'s own fit, compared with it on a few trainings",
    "batched": "a batched implementation of {library} drew many trainings at once",
    "function": "the mechanism's own code was called for every training",
}


def render(result: AuditResult) -> str:
    """All there is to say about an audit, in a dozen lines."""
    instance("result", result, AuditResult)
    made, bound = result.provenance, result.finding.bound
    procedure = f"{made.procedure.get('type', '')} ({bound.method})"
    lines = [
        f"{made.mechanism} claims {result.claim}.",
        headline(result),
        support(result),
        *trial(result),
        "",
        f"  attack      {result.attack}: {steps_between(result)}",
        f"  procedure   {procedure}, {count(made.trainings)} trainings, seed {made.seed}",
        f"  ceiling     {_ceiling(result)}",
        f"  audited     {audited(made)}",
        f"  versions    {', '.join(f'{k} {v}' for k, v in made.versions.items())}",
        *(f"  note        {note}" for note in made.notes),
    ]
    return "\n".join(lines)


def headline(result: AuditResult) -> str:
    """The bound and the verdict in one sentence."""
    bound, claim = result.finding.bound, result.claim
    if bound.epsilon == 0:
        return f"With {bound.confidence} confidence these trainings show no leakage: the lower bound on ε is 0."
    implied = f" (as implied under {bound.assuming})" if bound.assuming else ""
    shown = digits(bound.epsilon, claim.epsilon)
    found = f"With {bound.confidence} confidence the true ε is at least {shown}{implied}"
    if result.verdict == "unconfirmed":
        return (
            f"UNCONFIRMED: the batched sampler shows an ε of at least {shown}, above the claimed {claim.epsilon:g}; "
            f"{_library(result.provenance)}'s own fit does not. The two differ, and neither number is a result."
        )
    if result.verdict == "violation":
        return f"VIOLATION: {found[0].lower()}{found[1:]}, above the claimed {claim.epsilon:g}."
    if bound.epsilon > claim.epsilon:
        return f"{found}: above the claim, which does not say {bound.assuming} and so is not refuted."
    return f"{found}; the claim of {claim.epsilon:g} is consistent with that."


def support(result: AuditResult) -> str:
    """The counts behind the bound."""
    evidence = result.finding.evidence
    complement = result.finding.witness.complement
    if isinstance(evidence, ArmCounts):
        return _arms(evidence, complement=complement)
    return _bets(evidence, result) if isinstance(evidence, Bets) else _guesses(evidence, result)


def trial(result: AuditResult) -> list[str]:
    """What the library's own fit said to a violation found in batches."""
    tried = result.confirmation
    if tried is None:
        return []
    found = digits(tried.bound.epsilon, result.claim.epsilon)
    fate = "Confirmed on" if result.verdict == "violation" else "Not confirmed on"
    fresh = f"{count(tried.trainings)} fresh trainings, seed {tried.seed}"
    return [f"{fate} {_library(result.provenance)}'s own fit: ε of at least {found} in {fresh}."]


def audited(made: Provenance) -> str:
    """What the trainings were drawn by."""
    return _SAMPLERS[made.sampler].format(library=_library(made))


def _library(made: Provenance) -> str:
    return made.stands_for or ("the mechanism" if made.sampler == "batched" else "the library")


def _arms(counts: ArmCounts, *, complement: bool) -> str:
    first, second = ("D′", "D") if complement else ("D", "D′")
    return (
        f"The output fell into S in {count(counts.hits)} of {count(counts.trials)} fresh trainings on {first} and in "
        f"{count(counts.false_hits)} of {count(counts.false_trials)} on {second}."
    )


def _guesses(counts: GuessCounts, result: AuditResult) -> str:
    """The look that says most: the least likely one at the ε that was shown."""
    bound, claim = result.finding.bound, result.claim
    shown = float(expit(bound.steps * bound.epsilon))
    right, made = min(
        zip(counts.correct, counts.guesses, strict=True), key=lambda look: bdtrc(look[0] - 1, look[1], shown)
    )
    share = f"Of its {count(made)} most confident guesses {count(right)} ({_percent(right / made)}) were right"
    if bound.assuming:
        return f"{share}."
    apart = f", {bound.steps} steps apart," if bound.steps > 1 else ""
    # What δ gives away may all be among the surest guesses.
    leak = min(1.0, float(group_delta(claim.epsilon, claim.delta, bound.steps)) * counts.counted / made)
    q = float(expit(bound.steps * claim.epsilon))
    allowed, delta = _percent(q + (1 - q) * leak), f" and δ = {claim.delta:g}" if claim.delta else ""
    return f"{share}; under ε = {claim.epsilon:g}{delta}{apart} at most {allowed} can be expected."


def _bets(bets: Bets, result: AuditResult) -> str:
    """What was bet, what was won, and how probable that is under the claim."""
    won = float(np.exp(winnings(bets, result.claim, result.finding.bound.steps).max(initial=0.0)))
    right = f"{count(int(bets.right.sum()))} of {count(bets.counted)} guesses were right"
    share = f"After {count(bets.spent)} trainings {right}"
    times = f"{won:.3g}" if won < 1e6 else f"{won:.1e}"
    alpha = result.finding.bound.alpha
    rare = f"under the claim that reaches {1 / alpha:.4g} in at most {100 * alpha:g} % of audits"
    return f"{share}, and betting on them multiplied a wealth by {times}; {rare}."


def _ceiling(result: AuditResult) -> str:
    ceiling = result.finding.bound.ceiling
    hollow = "" if ceiling > result.claim.epsilon else "; below the claim, which it could not have refuted"
    return f"{shown_ceiling(ceiling)}: the highest ε that this audit could have shown{hollow}"


def _percent(share: float) -> str:
    return f"{100 * share:.{1 if share < 0.999 else 3}f} %"


def steps_between(result: AuditResult) -> str:
    """How far D and D′ are apart."""
    k, steps, relation = result.pair.rows, result.finding.bound.steps, result.claim.relation.value
    rows = "1 row" if k == 1 else f"{k} rows"
    return f"{rows} of D changed, {steps} step{'s' if steps > 1 else ''} under {relation}"
