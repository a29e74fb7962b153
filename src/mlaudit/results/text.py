"""The result of an audit as sentences that a reviewer can quote."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtrc, expit

from mlaudit.distinguish.rule_names import name_rule
from mlaudit.results.card_text import card_lines
from mlaudit.results.lines import NO_PROOF, bound_text, hollow_text, tightness_text, title_line
from mlaudit.results.remedy import remedy_text
from mlaudit.statistics.e_process import log_wealth
from mlaudit.statistics.group_privacy import group_delta
from mlaudit.types import numbers
from mlaudit.types.differences import changed_text
from mlaudit.types.finding import ArmCounts, Bets, GuessCounts
from mlaudit.types.numbers import count, measurement, percent, plural
from mlaudit.types.units import describe_units

if TYPE_CHECKING:  # the class calls these functions
    from mlaudit.results.audit_result import AuditResult, Provenance

_SAMPLERS = {
    "library": "{library}'s own fit was called for every training",
    "mirror": "a seed-exact mirror of {library}'s own fit, compared with it on a few trainings",
    "batched": "a batched implementation of {library} drew many trainings at once",
    "function": "the mechanism's own code was called for every training",
    "program": "a program of its own made every training",
}


def render(result: "AuditResult") -> str:
    """All there is to say about an audit: the verdict in four lines, then the details."""
    made, bound = result.provenance, result.finding.bound
    procedure = f"{made.procedure.get('type', '')} ({bound.method})"
    lines = [
        headline(result),
        *verdict_lines(result),
        "",
        *card_lines(made.card),
        *([] if result.pair.base.units is None else [f"  unit        {unit_text(result)}"]),
        f"  attack      {result.attack}: {distance_text(result)}",
        f"  procedure   {procedure}, {plural(made.trainings, 'training')}, seed {made.seed}",
        *rule_lines(result),
        f"  ceiling     {numbers.ceiling(bound.ceiling)}: the highest ε that this audit could have shown",
        f"  audited     {sampler_text(made)}",
        f"  versions    {', '.join(f'{k} {v}' for k, v in made.versions.items())}",
        *(f"  note        {note}" for note in made.notes),
    ]
    return "\n".join(lines)


def unit_text(result: "AuditResult") -> str:
    """The unit in words; "" if every row is a unit of its own."""
    base = result.pair.base
    return "" if base.units is None else describe_units(base.units, str(base.unit))


def rule_lines(result: "AuditResult") -> list[str]:
    """Which rule guessed, if it has a name."""
    rule = name_rule(result.finding.witness.scorer)
    return [f"  guessed by  {rule}"] if rule else []


def headline(result: "AuditResult") -> str:
    """The verdict, the learner and its claim in one line."""
    return title_line(result.verdict, result.provenance.mechanism, result.claim)


def verdict_lines(result: "AuditResult") -> list[str]:
    """The bound, what the audit could have seen, and the evidence."""
    return [_bound_line(result), *_tightness_lines(result), support(result)]


def _bound_line(result: "AuditResult") -> str:
    found = bound_text(result.finding.bound, result.claim)
    if result.verdict == "violated":
        return f"{found}. {_repetition(result)}".rstrip()
    if result.verdict == "not_repeated":
        return f"{found}, above the claim. {_repetition(result)}"
    return f"{found}. {NO_PROOF}"


def _repetition(result: "AuditResult") -> str:
    """The outcome of the fresh trainings on which a violation was repeated."""
    again, made = result.confirmation, result.provenance
    if again is None:  # a replay is itself the repetition of another result
        return "" if made.seed != made.learned_on else "Not repeated on fresh trainings."
    by = f" of {made.stands_for}'s own fit" if made.sampler == "batched" and made.stands_for else ""
    fresh = f"{plural(again.trainings, 'fresh training')}{by}"
    shown = numbers.bound(again.bound.epsilon, result.claim.epsilon)
    if result.violated:
        return f"Repeated on {fresh}: ε ≥ {shown}."
    cause = "Chance, or the batched sampler differs from the library" if by else "This may be chance"
    return f"{fresh} gave only ε ≥ {shown}, so no violation is announced. {cause}: use more trainings."


def _tightness_lines(result: "AuditResult") -> list[str]:
    bound, claim = result.finding.bound, result.claim
    if result.verdict == "not_refuted":
        return [tightness_text(result.detectable)]
    if result.verdict == "inconclusive":
        rows, trainings = result.pair.rows, result.provenance.trainings
        remedy = remedy_text(claim, bound, result.finding.evidence, rows, trainings)
        return [f"{hollow_text(bound, claim)} {remedy}"]
    return []


def support(result: "AuditResult") -> str:
    """The counts behind the bound."""
    evidence = result.finding.evidence
    complement = result.finding.witness.complement
    if isinstance(evidence, ArmCounts):
        return _arms(evidence, complement=complement)
    return _bets(evidence, result) if isinstance(evidence, Bets) else _guesses(evidence, result)


def sampler_text(made: "Provenance") -> str:
    """What the trainings were drawn by."""
    return _SAMPLERS[made.sampler].format(library=_library(made))


def _library(made: "Provenance") -> str:
    return made.stands_for or ("the mechanism" if made.sampler == "batched" else "the library")


def _arms(counts: ArmCounts, *, complement: bool) -> str:
    first, second = ("D′", "D") if complement else ("D", "D′")
    return (
        f"Evidence: the output fell into S in {count(counts.hits)} of {count(counts.trials)} fresh trainings on "
        f"{first} and in {count(counts.false_hits)} of {count(counts.false_trials)} on {second}."
    )


def _guesses(counts: GuessCounts, result: "AuditResult") -> str:
    """The right guesses in the prefix that says most: the least likely one at the ε that was shown."""
    bound, claim = result.finding.bound, result.claim
    shown = float(expit(bound.steps * bound.epsilon))
    right, made = min(
        zip(counts.correct, counts.guesses, strict=True), key=lambda prefix: bdtrc(prefix[0] - 1, prefix[1], shown)
    )
    share = f"Evidence: the distinguisher's {count(made)} most confident guesses were {percent(right / made)} correct"
    if bound.assuming:
        return f"{share}."
    apart = f" at {bound.steps} steps" if bound.steps > 1 else ""
    # What δ gives away may all be among the surest guesses.
    leak = min(1.0, float(group_delta(claim.epsilon, claim.delta, bound.steps)) * counts.counted / made)
    q = float(expit(bound.steps * claim.epsilon))
    return f"{share}; the claim allows {percent(q + (1 - q) * leak)}{apart}."


def _bets(bets: Bets, result: "AuditResult") -> str:
    """The bets, their winnings, and how probable these are under the claim."""
    won = float(np.exp(log_wealth(bets, result.claim, result.finding.bound.steps).max(initial=0.0)))
    right = f"{count(int(bets.right.sum()))} of {count(bets.counted)} guesses were correct"
    times = measurement(won, 3 if won < 1e6 else 2)
    alpha = result.finding.bound.alpha
    rare = f"under the claim a factor of {measurement(1 / alpha)} is reached in at most {percent(alpha)} of audits"
    return f"Evidence: {right}. Betting on them multiplied a wealth by {times}; {rare}."


def distance_text(result: "AuditResult") -> str:
    """How far D and D′ are apart."""
    k, steps, relation = result.pair.rows, result.finding.bound.steps, result.claim.relation.value
    changed = plural(k, "row") if result.pair.base.units is None else changed_text(result.pair)
    return f"{changed} of D changed, {plural(steps, 'step')} under {relation}"
