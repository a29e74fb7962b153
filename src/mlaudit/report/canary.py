"""The one-page report of an audit by canaries."""

import shlex
from pathlib import Path

from scipy.special import expit

from mlaudit.canaries.result import CanaryResult
from mlaudit.canaries.text import parameters_text, verdict_lines
from mlaudit.naming.plugins import shipped
from mlaudit.report import spreadsheet
from mlaudit.report.canary_figures import right_guesses
from mlaudit.report.cells import CellView, cell_of, text
from mlaudit.report.cells import command as shell_command
from mlaudit.report.figures._sketch import report_settings
from mlaudit.report.gauge import Gauge
from mlaudit.report.multiplicity import family
from mlaudit.report.one_page import Cell, Files, OnePage, page_files
from mlaudit.report.plain import Account, explain
from mlaudit.results.json import read_object, read_text
from mlaudit.results.lines import VERDICT_NAMES, claim_text
from mlaudit.types.numbers import bound as lower
from mlaudit.types.numbers import ceiling, confidence, count, measurement, p_value, percent, plural
from mlaudit.types.row import Row

_QUESTION = "How much does this training leak about canaries? mlaudit test asks whether the claim holds for all data."
_ONE_RUN = (
    "Each canary was inserted with probability ½, all in one training. The output gives each canary a score. The "
    "canaries with the highest scores were guessed to be in, those with the lowest scores to be out; the number of "
    "guesses was fixed before any score was seen. Under the claim the number of correct guesses is dominated by a "
    "binomial, whose tail gives the bound (Steinke, Nasr and Jagielski, 2023)."
)
_WHITE_BOX = (
    "In each step of each training a canary with the clipping norm was added to the sum of gradients with "
    "probability ½. A rule learned on earlier steps guessed from the noisy sum whether the canary was in it. The "
    "number of correct guesses limits the noise of a step, and the accountant composes the steps at the stated "
    "sampling rate to the bound on ε."
)


def files(path: Path, wanted: frozenset[str]) -> Files:
    """Each file of the report by its name; `path` is the result.json of one-run or white-box."""
    content = read_text(path)
    result = CanaryResult.from_json(content, source=str(path))
    command = shell_command(read_object(content, str(path)).get("command"))
    cell = _cell(result, command)
    tests = family([cell])
    if "csv" in wanted:
        yield "report.csv", spreadsheet.table([cell], tests)
    if wanted & {"html", "md"}:
        again = [("Repeat it", command), ("Repeat it with another seed", _replay_command(path, command))]
        yield from page_files(_make_page(result, again if command else [], tests.plain.get(0)), wanted)


def _cell(result: CanaryResult, command: str) -> CellView:
    counts = result.counts
    evidence = {"correct": counts.correct, "guesses": counts.guesses, "canaries": counts.canaries}
    as_audit = {
        "mechanism": result.trainer,
        "attack": "canaries",
        "procedure": result.kind.replace(" ", "_"),
        "sampler": "library" if result.stands_for else "function",
        "evidence": evidence,
        "command": command,
    }
    return cell_of(Row("", "audit", {}, {**result.summary(), **as_audit}, 0))


def _replay_command(path: Path, command: str) -> str:
    """A trainer outside mlaudit must be named again, as it was typed."""
    words, typed = ["mlaudit", "replay", str(path)], shlex.split(command)
    if len(typed) > 2 and typed[2] not in shipped("trainers"):
        words += ["--mechanism", typed[2]]
    return shlex.join(words)


def _make_page(result: CanaryResult, repeat: list[tuple[str, str]], p: float | None) -> OnePage:
    claim, bound = result.claim, result.bound
    with report_settings():
        figure = right_guesses(result)
    heads, rows = _table(result)
    return OnePage(
        title=text(f"{result.trainer}, {result.kind} with canaries"),
        verdict=result.verdict,
        lead=text(f"{VERDICT_NAMES[result.verdict]}: {result.trainer}, claim {claim_text(claim)}"),
        paragraph=tuple((label, text(said)) for label, said in explain(_account(result))),
        gauge=Gauge(claim.epsilon, bound.epsilon, bound.ceiling, result.detectable, result.verdict),
        drawn=[("Correct guesses", figure)],
        lines=[text(line) for line in verdict_lines(result)],
        facts=_facts(result, p),
        method=_ONE_RUN if result.mu is None else _WHITE_BOX,
        heads=heads,
        rows=rows,
        repeat=repeat,
    )


def _account(result: CanaryResult) -> Account:
    who = f"{result.trainer} ({result.stands_for})" if result.stands_for else result.trainer
    return Account(who, result.claim, _tried(result), result.bound, result.verdict, None, result.detectable)


def _tried(result: CanaryResult) -> str:
    counts = result.counts
    if result.mu is None:
        return (
            f"mlaudit trained it once, with {count(counts.canaries)} canaries (records that mlaudit itself inserts, "
            f"each with probability ½). From the output, it made {plural(counts.counted, 'guess', 'guesses')} about "
            "which canaries were inserted."
        )
    return (
        f"mlaudit trained it {plural(result.trainings, 'time')}, added a canary (a gradient that mlaudit itself "
        f"inserts) to each step with probability ½, and made {plural(counts.counted, 'guess', 'guesses')} from the "
        "noisy sums of the steps about whether it was in."
    )


def _facts(result: CanaryResult, p: float | None) -> list[tuple[str, str]]:
    bound = result.bound
    shown = lower(bound.epsilon, result.claim.epsilon)
    found = [
        ("Question", _QUESTION),
        ("Claimed", str(result.claim)),
        ("Detected", f"ε of at least {shown}, with {confidence(bound.alpha)} confidence"),
        ("p-value of the claim", f"p {p_value(p)}") if p is not None else ("", ""),
        ("Assuming", bound.assuming),
        ("Ceiling", f"{ceiling(bound.ceiling)}: no outcome could have shown more"),
        ("Noise of a step", f"at most {measurement(1 / result.mu)} clipping norms" if result.mu else ""),
        ("Trainer", f"{result.trainer} ({parameters_text(result)})"),
        ("Procedure", f"{result.kind} ({bound.method})"),
        ("Trainings", f"{count(result.trainings)}, seed {result.seed}"),
        ("Versions", ", ".join(f"{k} {v}" for k, v in result.versions.items())),
    ]
    return [(name, text(value)) for name, value in found if value]


def _table(result: CanaryResult) -> tuple[list[str], list[tuple[Cell, ...]]]:
    right, made = result.counts.correct[0], result.counts.guesses[0]
    if result.mu is not None:
        return ["Guesses", "correct", "correct (%)"], [(made, right, percent(right / made))]
    most = percent(float(expit(result.claim.epsilon)))
    row: tuple[Cell, ...] = (result.counts.canaries, made, right, percent(right / made), most)
    return ["Canaries", "guesses", "correct", "correct (%)", "most under the claim"], [row]
