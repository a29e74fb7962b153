"""A sweep in plain words, for a reader who knows no differential privacy: one paragraph."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.gauge import Gauge
from mlaudit.report.plain import COIN, Paragraph, label_parts, least_success, success
from mlaudit.report.summary import Summary
from mlaudit.report.words import claim_text
from mlaudit.types import numbers
from mlaudit.types.numbers import count, parameter, percent, plural

_NAMED = 3


def explain_sweep(whole: Summary) -> Paragraph:
    """What was claimed, tried and found, what that means for a person, and what it does not prove."""
    audits = [whole.cells[position] for position in whole.audits]
    if not audits:
        return (("What was found.", "No audit has finished, so this report says nothing about any claim."),)
    return label_parts(_claimed(audits), _tried(audits), _found(whole), _meaning(whole.leading), _limits(whole))


def gauge_of(cell: CellView) -> Gauge:
    """The gauge of one audit; a missing number is 0."""
    return Gauge(cell.epsilon or 0.0, cell.detected or 0.0, cell.ceiling or 0.0, cell.detectable, cell.verdict)


def leading_words(cell: CellView) -> str:
    """Which audit the gauge shows."""
    where = f"{cell.mechanism} on {cell.data}" if cell.data else cell.mechanism
    why = "The gravest violation" if cell.verdict == "violated" else "The audit nearest to its claim"
    return f"{why}, {where} ({claim_text(cell)})"


def _claimed(audits: Sequence[CellView]) -> str:
    least, most = (pick(cell.epsilon or 0.0 for cell in audits) for pick in (min, max))
    if least == most:
        limit = f"with at most {success(most)} success, where {COIN} (this is ε = {parameter(most)})"
    else:
        limit = (
            f"with at most the success that the claimed ε allows, from {success(least)} (ε = {parameter(least)}) to "
            f"{success(most)} (ε = {parameter(most)}), where {COIN}"
        )
    return (
        f"{_claimants(sorted({cell.mechanism for cell in audits}))} to hide every single record: someone who sees an "
        f"output and knows all other records can guess whether a person's record was used {limit}."
    )


def _claimants(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} claims"
    few = len(names) <= _NAMED
    return f"{', '.join(names[:-1])} and {names[-1]} claim" if few else f"{plural(len(names), 'learner')} claim"


def _tried(audits: Sequence[CellView]) -> str:
    spent = sum(cell.trainings or 0 for cell in audits)
    data = {cell.data for cell in audits if cell.data}
    where = f" on {plural(len(data), 'dataset')}" if data else ""
    return (
        f"mlaudit made {plural(len(audits), 'audit')}{where}, with {plural(int(spent), 'training')} in all: each "
        "trained a learner on data D and on data D′ that differ in one or a few rows, learned to guess from an "
        "output whether it came from D or from D′, and counted guesses about fresh outputs only."
    )


def _found(whole: Summary) -> str:
    counts = {verdict: whole.count_verdict(verdict) for verdict in ("violated", "not_repeated", "inconclusive")}
    violated, weak = counts["violated"], counts["inconclusive"]
    if violated:
        found = f"In {count(violated)} of them the guesses were correct more often than the claim allows."
    else:
        found = "In none of them were the guesses correct more often than the claim allows."
    if counts["not_repeated"]:
        found += f" In {count(counts['not_repeated'])} they were so at first, but not on fresh trainings."
    return found + (f" {count(weak)} could not have shown a violation at all (inconclusive)." if weak else "")


def _meaning(leading: CellView | None) -> str:
    if leading is None or leading.epsilon is None or not leading.detected:
        return "These audits found no output that reveals a record."
    allowed, least = success(leading.epsilon, leading.delta), least_success(leading.detected)
    which = f"{leading.mechanism} on {leading.data}" if leading.data else leading.mechanism
    guess = (
        f"from which such a guess succeeds in {least} of cases or more (ε ≥ "
        f"{numbers.bound(leading.detected, leading.epsilon)}), where the claim allows {allowed}."
    )
    if leading.verdict == "violated":
        return f"The protection is weaker than claimed: {which} has outputs {guess}"
    return f"The audit nearest to its claim is that of {which}, which has outputs {guess}"


def _limits(whole: Summary) -> str:
    tests = whole.tests
    return (
        "A claim that was not refuted is not proved: a stronger attack, other data or more trainings may show more "
        f"leakage. A single audit refutes a true claim with probability at most {percent(tests.alpha)}. After Holm's "
        "correction, any true claim among all audits is refuted with at most this probability."
    )
