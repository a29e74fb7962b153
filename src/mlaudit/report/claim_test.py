"""The one-page report of a test of a claim."""

from pathlib import Path

from mlaudit.naming.plugins import names
from mlaudit.refuting.choose_detectors import DETECTORS
from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.result import Attempt, ClaimTest
from mlaudit.refuting.text import verdict_lines
from mlaudit.report import spreadsheet
from mlaudit.report.cells import CellView, cell_of, text
from mlaudit.report.cells import command as shell_command
from mlaudit.report.claim_test_figures import bounds_by_detector
from mlaudit.report.figures._sketch import report_settings
from mlaudit.report.gauge import Gauge
from mlaudit.report.multiplicity import family
from mlaudit.report.one_page import Cell, Entry, Files, OnePage, page_files
from mlaudit.report.plain_test import explain_test
from mlaudit.report.single import replay_command
from mlaudit.results.json import read_object, read_text
from mlaudit.results.lines import VERDICT_NAMES, claim_text
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.text import limit_text, outcome_text, suspect_text
from mlaudit.types.differences import differences
from mlaudit.types.numbers import bound as lower
from mlaudit.types.numbers import confidence, count, measurement, plural
from mlaudit.types.row import Row

_HEADS = ["Detector", "Verdict", "ε at least", "Share of α", "Trainings", "Looked at", "What it tries"]
_METHOD = (
    "Each detector looks for data D and D′ that differ in one record and whose outputs are easy to tell apart. A "
    "fair coin decided for each training whether it was on D or on D′. A rule that was learned on other trainings "
    "guessed this label from the output. A part of a wealth of 1 was bet on each guess, at odds that are fair or "
    "worse if the claim is true. Then the wealth ever reaches 1/α with probability at most α. The shares of α were "
    "fixed before the first counted training, and add up to the α of the test. A violation is announced only if "
    "fresh trainings repeat it."
)


def files(path: Path, wanted: frozenset[str]) -> Files:
    """Each file of the report by its name; `path` is the result.json of `mlaudit test`."""
    content = read_text(path)
    result = ClaimTest.from_json(content, source=str(path))
    command = shell_command(read_object(content, str(path)).get("command"))
    if "csv" in wanted:
        cells = [_make_cell(one, result, command) for one in result.attempts]
        yield "report.csv", spreadsheet.table(cells, family(cells))
    if wanted & {"html", "md"}:
        yield from page_files(_make_page(result, path, command), wanted)


def _make_cell(one: Attempt, result: ClaimTest, command: str) -> CellView:
    """A detector as a line of the spreadsheet; what it found is in the notes."""
    found = [f"{found.place}: {found.cause}" for found in result.findings if found.detector == one.detector]
    as_audit = {
        "epsilon_lower": one.epsilon_lower,
        "ceiling": one.ceiling,
        "detectable": one.detectable,
        "verdict": one.verdict,
        "alpha": one.alpha,
        "trainings": one.trainings,
        "attack": f"{one.detector}: {one.looked_at}",
        "notes": found,
        "command": command,
    }
    return cell_of(Row("", "audit", {}, {**result.summary(), **as_audit}, 0))


def _make_page(result: ClaimTest, path: Path, command: str) -> OnePage:
    claim = result.claim
    with report_settings():
        figure = bounds_by_detector(result)
    where = f" on {result.dataset}" if result.dataset else ""
    return OnePage(
        title=text(f"Does the claim of {result.mechanism}{where} hold?"),
        verdict=result.verdict,
        lead=text(f"{VERDICT_NAMES[result.verdict]}: {result.mechanism}, claim {claim_text(claim)}"),
        paragraph=tuple((label, text(said)) for label, said in explain_test(result)),
        gauge=Gauge(claim.epsilon, result.epsilon_lower, result.ceiling, result.detectable, result.verdict),
        drawn=[("The bound of each detector", figure)] if result.attempts else [],
        lines=[text(line) for line in verdict_lines(result)],
        facts=_facts(result),
        method=_METHOD,
        heads=_HEADS,
        rows=_rows(result),
        repeat=[("Repeat it", command)] if command else [],
        card=result.card,
        findings=tuple(
            _make_entry(at, found, result, path, command) for at, found in enumerate(result.findings, start=1)
        ),
    )


def _facts(result: ClaimTest) -> list[tuple[str, str]]:
    shown = lower(result.epsilon_lower, result.claim.epsilon)
    found = [
        ("Question", "Does the claim hold for all data? mlaudit run measures the leakage on one dataset."),
        ("Claimed", str(result.claim)),
        ("Detected", f"ε of at least {shown}, with {confidence(result.alpha)} confidence for all detectors together"),
        ("Mechanism", f"{result.mechanism} ({result.stands_for})" if result.stands_for else result.mechanism),
        ("Data", result.dataset or "none were given: all data were crafted in the domain"),
        ("Effort", f"{result.effort}, {plural(result.trainings, 'training')}, seed {result.seed}"),
        ("Versions", ", ".join(f"{k} {v}" for k, v in result.versions.items())),
        *(("Note", note) for note in result.notes),
        *_trace_facts(result.trace),
    ]
    return [(name, text(value)) for name, value in found]


def _trace_facts(trace: TraceResult | None) -> list[tuple[str, str]]:
    """What following the noise showed; proved suspects stand with their finding."""
    if trace is None:
        return []
    limit = limit_text(trace)
    left = [fault for fault in trace.faults if not fault.proved]
    return [
        ("Trace", outcome_text(trace)),
        *(
            fact
            for fault in left
            for fact in (("Suspect, no proof", suspect_text(fault, trace.claim)), ("Its line", fault.site.source))
            if fact[1]
        ),
        *([("Upper limit", limit)] if limit else []),
        *(("Trace note", note) for note in trace.notes),
        *(("Hint, no proof", hint) for hint in trace.hints),
    ]


def _rows(result: ClaimTest) -> list[tuple[Cell, ...]]:
    """Every detector: those that were run with their bounds, the others with the reason."""
    tries = names(DETECTORS)
    ran: list[tuple[Cell, ...]] = [
        (
            text(one.detector),
            VERDICT_NAMES[one.verdict],
            lower(one.epsilon_lower, result.claim.epsilon),
            measurement(one.alpha),
            count(one.trainings),
            text(one.looked_at),
            text(tries.get(one.detector, "")),
        )
        for one in result.attempts
    ]
    left: list[tuple[Cell, ...]] = [
        (text(one.detector), "Not run", "", "", "", text(one.why), text(tries.get(one.detector, "")))
        for one in result.skipped
    ]
    return [*ran, *left]


def _make_entry(at: int, found: Refutation, result: ClaimTest, path: Path, command: str) -> Entry:
    claimed, again = result.claim.epsilon, found.repeated_epsilon
    repeated = "" if again is None else f"; on fresh trainings ε ≥ {lower(again, claimed)}"
    about = [
        ("Shown", f"ε ≥ {lower(found.epsilon, claimed)}, where ε = {measurement(claimed)} is claimed{repeated}"),
        ("Cause", found.cause),
        *(fact for line in found.lines for fact in (("Line", str(line)), ("Source", line.site.source))),
        ("Left out before", ", ".join(found.left_out)),
        ("D", f"{plural(len(found.pair.base), 'row')} of {found.pair.base.name}"),
        ("D′ by", "; ".join([found.change, *differences(found.pair)])),
        ("Found by", f"{found.detector}, in {plural(found.witness.provenance.trainings, 'training')} at most"),
        ("Count it again", replay_command(path.with_name(f"witness_{at}.json"), found.witness, command)),
    ]
    return Entry(text(f"{at}. {found.place}"), [(name, text(value)) for name, value in about if value])
