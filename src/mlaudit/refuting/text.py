"""The result of a test as sentences and a table, and as one object for programs."""

from typing import TYPE_CHECKING, Any

from mlaudit.results.card_text import card_lines, card_unit_lines, summarise_card
from mlaudit.results.json import SCHEMA_VERSION
from mlaudit.results.lines import NO_PROOF, VERDICT_NAMES, title_line
from mlaudit.results.summary import finite, summarise_claim
from mlaudit.scanning.standing import relation_of
from mlaudit.tracing.text import limit_text, outcome_text, suspect_text
from mlaudit.types import numbers
from mlaudit.types.differences import differences
from mlaudit.types.numbers import confidence, count, measurement, plural

if TYPE_CHECKING:  # the classes call these functions
    from mlaudit.refuting.refutation import FaultLine, Refutation
    from mlaudit.refuting.result import Attempt, ClaimTest
    from mlaudit.tracing.result import TraceResult
    from mlaudit.tracing.sites import Site

_HEADS = ("detector", "share of α", "trainings", "ε at least", "verdict", "looked at")
_SHOWN = 8  # findings that a reader takes in


def render(result: "ClaimTest") -> str:
    """The verdict in a few lines, the findings, the detectors."""
    made = f" ({result.stands_for})" if result.stands_for else ""
    more = len(result.findings) - _SHOWN
    lines = [
        title_line(result.verdict, f"{result.mechanism}{made}", result.claim),
        *verdict_lines(result),
        *(
            line
            for at, found in enumerate(result.findings[:_SHOWN], start=1)
            for line in ("", *_describe(at, found, result))
        ),
        *(["", f"and {plural(more, 'finding')} more: --json lists all of them"] if more > 0 else []),
        "",
        *_table(result),
        *(f"  not run     {one.detector}: {one.why}" for one in result.skipped),
        "",
        *trace_lines(result.trace),
        *card_lines(result.card),
        *card_unit_lines(result.card),
        "  question    Does the learner keep its claim on any data? For the leakage on your data use mlaudit run.",
        f"  error       the shares of α add up to at most {measurement(result.alpha)}; every finding was repeated",
        f"  effort      {result.effort}, {plural(result.trainings, 'training')} in all, seed {result.seed}",
        f"  versions    {', '.join(f'{k} {v}' for k, v in result.versions.items())}",
        *(f"  note        {note}" for note in result.notes),
    ]
    return "\n".join(lines)


def verdict_lines(result: "ClaimTest") -> list[str]:
    """What all detectors together show, and what they could have seen."""
    shown = numbers.bound(result.epsilon_lower, result.claim.epsilon)
    if result.violated:
        several = f"{len(result.findings)} findings, each repeated on fresh trainings; the worst first."
        found = several if len(result.findings) > 1 else "1 finding, repeated on fresh trainings."
        return [f"Lower bound: ε ≥ {shown} with {confidence(result.alpha)} confidence. {found}"]
    if result.verdict == "not_repeated":
        said = f"A detector gave ε ≥ {shown}, and fresh trainings did not: no violation is announced."
        return [f"{said} This may be chance: use more effort."]
    nothing = f"No detector refutes the claim. Highest lower bound: ε ≥ {shown}. {NO_PROOF}"
    return [nothing, tightness_text(result)]


def tightness_text(result: "ClaimTest") -> str:
    """The smallest violation that the test would have detected, or why it could not have refuted the claim."""
    if result.verdict == "inconclusive":
        sure = [one for one in result.attempts if one.verdict == "inconclusive" and one.could_refute(result.claim)]
        if sure:
            return "The scan tells D from D′ every time, in too few trainings to refute this ε: use more effort."
        top = numbers.ceiling(result.ceiling)
        return f"This test could not have refuted the claim: the largest ε it could show is {top}. Use more effort."
    if result.detectable == float("inf"):
        return "No violation would have been detected with a probability of 90 %: use more effort."
    least = numbers.upwards(result.detectable)
    return f"A true ε of {least} or more, if a tried pair shows it, would have been detected with probability 90 %."


def _describe(at: int, found: "Refutation", result: "ClaimTest") -> list[str]:
    claimed = result.claim.epsilon
    shown, again = numbers.bound(found.epsilon, claimed), found.repeated_epsilon
    repeated = "" if again is None else f"; on fresh trainings ε ≥ {numbers.bound(again, claimed)}"
    return [
        f"{at}. {found.place}: ε ≥ {shown}{repeated} ({found.detector})",
        f"   cause     {found.cause}",
        *(text for line in found.lines for text in _describe_line(line)),
        *([f"   left out  {', '.join(found.left_out)}"] if found.left_out else []),
        f"   D         {plural(len(found.pair.base), 'row')} of {found.pair.base.name}; D′ by {found.change}",
        *(f"             {line}" for line in differences(found.pair)),
    ]


def _describe_line(line: "FaultLine") -> list[str]:
    return [f"   line      {line}", *quote_source(line.site, " " * 13)]


def quote_source(site: "Site", indent: str) -> list[str]:
    """The text of a line; nothing if it cannot be read."""
    return [f"{indent}> {site.source}"] if site.source else []


def trace_lines(trace: "TraceResult | None") -> list[str]:
    """What following the noise showed: suspects, the upper limit, and what was not followed."""
    if trace is None:
        return []
    limit = limit_text(trace)
    return [
        f"  trace       {outcome_text(trace)}",
        *(
            line
            for fault in trace.faults
            if not fault.proved
            for line in (f"  suspect     {suspect_text(fault, trace.claim)}", *quote_source(fault.site, " " * 14))
        ),
        *([f"  limit       {limit}"] if limit else []),
        *(f"  trace note  {note}" for note in trace.notes),
        *(f"  hint        {hint}; this is no proof" for hint in trace.hints),
    ]


def _table(result: "ClaimTest") -> list[str]:
    rows = [_HEADS, *(_row(one, result) for one in result.attempts)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS) - 1)]
    return [
        "  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]


def _row(one: "Attempt", result: "ClaimTest") -> tuple[str, ...]:
    return (
        one.detector,
        measurement(one.alpha),
        count(one.trainings),
        numbers.bound(one.epsilon_lower, result.claim.epsilon),
        VERDICT_NAMES[one.verdict].upper() if one.verdict == "violated" else VERDICT_NAMES[one.verdict].lower(),
        one.looked_at,
    )


def summarise(result: "ClaimTest") -> dict[str, Any]:
    """The values that programs ask for."""
    return {
        "schema_version": SCHEMA_VERSION,
        "mechanism": result.mechanism,
        "stands_for": result.stands_for,
        "dataset": result.dataset,
        "data_card": summarise_card(result.card),
        "claim": summarise_claim(result.claim),
        "epsilon_lower": result.epsilon_lower,
        "detectable": finite(result.detectable),
        "verdict": result.verdict,
        "alpha": result.alpha,
        "effort": result.effort,
        "seed": result.seed,
        "trainings": result.trainings,
        "findings": [_summarise_finding(found) for found in result.findings],
        "detectors": [{**vars(one), "detectable": finite(one.detectable)} for one in result.attempts],
        "not_run": [dict(vars(one)) for one in result.skipped],
        "versions": dict(result.versions),
        "notes": list(result.notes),
        "trace": None if result.trace is None else _summarise_trace(result.trace),
    }


def _summarise_trace(trace: "TraceResult") -> dict[str, Any]:
    """What the trace says by itself; the mechanism, the claim and the seed are those of the test."""
    names = ("transcript_loss", "declared_budget", "upper_limit", "change", "pairs", "fits", "notes", "hints")
    whole = trace.summary()
    return {name: whole[name] for name in (*names, "suspects", "calls")}


def _summarise_finding(found: "Refutation") -> dict[str, Any]:
    return {
        "detector": found.detector,
        "place": found.place,
        "cause": found.cause,
        "epsilon_lower": found.epsilon,
        "repeated_epsilon_lower": found.repeated_epsilon,
        "alpha": found.bound.alpha,
        "relation": relation_of(found.pair, found.witness.claim).value,
        "dataset": found.pair.base.name,
        "change": found.change,
        "left_out": list(found.left_out),
        "differences": differences(found.pair),
        "lines": [_summarise_line(line) for line in found.lines],
    }


def _summarise_line(line: "FaultLine") -> dict[str, Any]:
    site = line.site
    return {
        "kind": line.kind,
        "file": site.file,
        "line": site.line,
        "function": site.function,
        "source": site.source,
        "sentence": line.sentence,
    }
