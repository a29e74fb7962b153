"""The result of a trace as text for people and as one object for programs."""

from math import isinf
from typing import TYPE_CHECKING, Any

from mlaudit.results.json import SCHEMA_VERSION
from mlaudit.results.lines import bound_text, title_line
from mlaudit.results.summary import finite, summarise_claim
from mlaudit.types.numbers import count, measurement, parameter, plural, upwards

if TYPE_CHECKING:  # the classes call these functions
    from mlaudit.tracing.calls import TracedCalls
    from mlaudit.tracing.faults import Fault
    from mlaudit.tracing.result import TraceResult
    from mlaudit.types.claim import Claim

_HEADS = ("line", "noise", "calls", "declared ε", "sensitivity", "scale", "moved by", "loss")
_MOST = 12  # rows of the table
_ASSUMED = "if all noise was followed and no draw leads to other code, in exact arithmetic"


def render(result: "TraceResult") -> str:
    """What was claimed, what is suspected on which line, what was proved, and the calls."""
    made = f" ({result.stands_for})" if result.stands_for else ""
    tried = f"{plural(result.pairs, 'pair')}, {plural(result.fits, 'followed training')}, seed {result.seed}"
    lines = [
        title_line(result.verdict, f"{result.mechanism}{made}", result.claim),
        *_headlines(result),
        *(line for fault in result.faults for line in _describe(fault, result)),
        *(["", *_table(result)] if result.calls else []),
        "",
        *_budget_lines(result),
        f"  pair        {result.neighbour.change}, of {result.dataset}",
        f"  traced      {tried}",
        *(f"  note        {note}" for note in result.notes),
        *(f"  hint        {hint}; this is no proof" for hint in result.hints),
    ]
    return "\n".join(lines)


def outcome_text(result: "TraceResult") -> str:
    """What a trace showed, in a sentence."""
    tried = f"{plural(result.pairs, 'pair')}, {plural(result.fits, 'training')}"
    if not result.pairs:
        return f"the noise was not followed ({plural(result.fits, 'training')})"
    if not result.faults:
        return f"{tried}: no suspect"
    proved = sum(fault.proved for fault in result.faults)
    return f"{tried}: {plural(len(result.faults), 'suspect')}, {proved or 'none'} proved"


def limit_text(result: "TraceResult") -> str:
    """The upper limit for the dearest pair, with what it assumes; "" if none can be stated."""
    if result.limit is None:
        return ""
    return (
        f"for this pair no output can leak more than ε = {upwards(result.limit)}, {_ASSUMED}; pair: "
        f"{result.neighbour.change}, of {result.dataset}"
    )


def suspect_text(fault: "Fault", claim: "Claim") -> str:
    """A suspect: its line, what was seen there, and whether trainings proved it."""
    where = str(fault.site) if fault.site.line else "no noise call"
    if fault.proved:
        stands = "violation, proved"
    else:
        above = fault.kind in ("loss", "sensitivity") and fault.loss > claim.epsilon
        lost = "loss of the transcript above the claim; " if above else ""
        seen = f"not visible in the released output at {plural(fault.counted, 'training')}"
        stands = f"{lost}{seen if fault.counted else 'not tested'}"
    return f"{where} ({fault.kind}): {fault.sentence}; {stands}"


def _budget_lines(result: "TraceResult") -> list[str]:
    """A sum above the claim is no suspect by itself: calls may share one sensitivity."""
    if result.budget is None:
        return []
    stated = "more than δ" if isinf(result.budget) else f"ε = {measurement(result.budget)}"
    above = result.budget > result.claim.epsilon * (1 + 1e-6)
    more = f", above the claimed {parameter(result.claim.epsilon)}: do they share one sensitivity?" if above else ""
    return [f"  budget      the calls that the changed row reaches declare {stated} together{more}"]


def _headlines(result: "TraceResult") -> list[str]:
    proved = next((fault for fault in result.faults if fault.proved), None)
    if proved is not None:
        return [f"Violation, proved. {_bound_of(proved, result)}."]
    if not result.faults:
        return ["No suspect.", _limit_text(result)]
    most = max(fault.counted for fault in result.faults)
    seen = f"not visible in the released output at {count(most)} trainings" if most else "not tested"
    return [f"{plural(len(result.faults), 'suspect')}; {seen}. A suspect is no proof.", _transcript_text(result)]


def _bound_of(fault: "Fault", result: "TraceResult") -> str:
    return "" if fault.test is None else bound_text(fault.test.bound, result.claim)


def _limit_text(result: "TraceResult") -> str:
    if result.limit is None:
        return "No upper limit can be stated: see the notes."
    shown = upwards(result.limit)
    said = f"Every recorded transcript of this pair costs ε = {shown}"
    return f"{said}: for this pair no output can leak more, {_ASSUMED}."


def _transcript_text(result: "TraceResult") -> str:
    shown = "infinite" if isinf(result.transcript) else f"ε = {measurement(result.transcript)}"
    return f"Loss of the transcript: {shown}; the claim is ε = {parameter(result.claim.epsilon)}."


def _describe(fault: "Fault", result: "TraceResult") -> list[str]:
    through = f" (through {fault.site.through})" if fault.site.through else ""
    where = f"{fault.site}{through}" if fault.site.line else "no noise call"
    pair = "" if fault.neighbour is result.neighbour else f" Pair: {fault.neighbour.change}."
    said = f"  {fault.kind:<12}{where}: {fault.sentence}.{pair}"
    return [said, f"              > {fault.site.source}"] if fault.site.source else [said]


def _table(result: "TraceResult") -> list[str]:
    rows = [_HEADS, *(_row(call) for call in result.calls[:_MOST])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    shown = ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    left = len(result.calls) - _MOST
    return [*shown, f"  and {plural(left, 'line')} more"] if left > 0 else shown


def _row(call: "TracedCalls") -> tuple[str, ...]:
    loss = "∞" if isinf(call.loss) else measurement(call.loss)
    return (
        str(call.site),
        call.name,
        count(call.calls),
        measurement(call.epsilon),
        measurement(call.sensitivity),
        measurement(call.scale),
        measurement(call.moved),
        loss,
    )


def summarise(result: "TraceResult") -> dict[str, Any]:
    """The values that programs ask for."""
    return {
        "schema_version": SCHEMA_VERSION,
        "mechanism": result.mechanism,
        "stands_for": result.stands_for,
        "dataset": result.dataset,
        "claim": summarise_claim(result.claim),
        "epsilon_lower": result.epsilon_lower,
        "verdict": result.verdict,
        "transcript_loss": finite(result.transcript),
        "declared_budget": None if result.budget is None else finite(result.budget),
        "upper_limit": None if result.limit is None else finite(result.limit),
        "change": result.neighbour.change,
        "pairs": result.pairs,
        "fits": result.fits,
        "trainings": result.trainings,
        "alpha": result.alpha,
        "seed": result.seed,
        "notes": list(result.notes),
        "hints": list(result.hints),
        "suspects": [_summarise_fault(fault) for fault in result.faults],
        "calls": [_summarise_calls(call) for call in result.calls],
    }


def _summarise_fault(fault: "Fault") -> dict[str, Any]:
    return {
        "kind": fault.kind,
        "file": fault.site.file,
        "line": fault.site.line,
        "source": fault.site.source,
        "through": fault.site.through,
        "sentence": fault.sentence,
        "loss": finite(fault.loss),
        "change": fault.neighbour.change,
        "paths": list(fault.paths),
        "tested": fault.test is not None,
        "trainings": fault.counted,
        "proved": fault.proved,
    }


def _summarise_calls(call: "TracedCalls") -> dict[str, Any]:
    numbers = {name: getattr(call, name) for name in ("epsilon", "sensitivity", "scale", "moved", "loss")}
    return {
        "file": call.site.file,
        "line": call.site.line,
        "name": call.name,
        "calls": call.calls,
        **{name: None if value is None else finite(value) for name, value in numbers.items()},
    }
