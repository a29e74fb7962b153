"""The one-page report of a single audit."""

import shlex
from math import isinf
from pathlib import Path

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.report import single_figures, spreadsheet
from mlaudit.report.cells import cell_of, text
from mlaudit.report.cells import command as shell_command
from mlaudit.report.figures._sketch import Sketch, report_settings
from mlaudit.report.gauge import Gauge
from mlaudit.report.multiplicity import family
from mlaudit.report.one_page import Cell, Files, OnePage, page_files
from mlaudit.report.plain import Account, explain
from mlaudit.report.prefixes import bound_prefixes, largest_accuracy
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.json import read_object, read_text
from mlaudit.results.lines import VERDICT_NAMES, claim_text
from mlaudit.results.replay import rebuild_mechanism
from mlaudit.results.summary import summarise_evidence
from mlaudit.results.text import distance_text, sampler_text, unit_text, verdict_lines
from mlaudit.statistics.e_process import log_wealth
from mlaudit.types.differences import changed_text
from mlaudit.types.finding import ArmCounts, Bets, GuessCounts
from mlaudit.types.numbers import bound as lower
from mlaudit.types.numbers import ceiling, confidence, count, p_value, percent, upwards
from mlaudit.types.row import Row

_GUESSED = (
    "A fair coin decided for each training whether it was on D or on D′. A distinguisher that was learned on earlier "
    "trainings only then guessed this label from the output. If the claim is true, a guess is correct at most with "
    "the probability given below, given all earlier guesses. So the number of correct guesses among the most "
    "confident ones is dominated by a sum of independent coin flips. The exact p-value of a scan over all sets of "
    "most confident guesses gives the bound."
)
_ARMS = (
    "A set S of outputs was chosen on some trainings. Hits in S were then counted on fresh trainings on D and on D′. "
    "An interval for the ratio of the two probabilities gives the bound."
)
_BET = (
    "A fair coin decided for each training whether it was on D or on D′. Distinguishers that were learned on earlier "
    "trainings only then guessed this label from the output. A part of a wealth of 1 was bet on each guess, at odds "
    "that are fair or worse if the claim is true. Then the wealth ever reaches 1/α with probability at most α, so it "
    "may be checked after every training. If the wealth reaches 1/α, the claim is refuted."
)


_NO_SCORES = "This result was made before scores were kept; run its command again to see them."


def files(path: Path, wanted: frozenset[str]) -> Files:
    """Each file of the report by its name; `path` is a result.json."""
    content = read_text(path)
    result = AuditResult.from_json(content, source=str(path))
    command = shell_command(read_object(content, str(path)).get("command"))
    cell = cell_of(
        Row("", "audit", {}, {**result.summary(), "evidence": summarise_evidence(result), "command": command}, 0)
    )
    if "csv" in wanted:
        yield "report.csv", spreadsheet.table([cell], family([cell]))
    if wanted & {"html", "md"}:
        repeat = [("Repeat it", command)] if command else []
        repeat.append(("Confirm it on fresh trainings", replay_command(path, result, command)))
        yield from page_files(_make_page(result, repeat, family([cell]).plain.get(0)), wanted)


def _make_page(result: AuditResult, repeat: list[tuple[str, str]], p: float | None) -> OnePage:
    made, bound, claim = result.provenance, result.finding.bound, result.claim
    heads, rows = _table(result)
    return OnePage(
        title=text(f"{made.mechanism} on {made.dataset}"),
        verdict=result.verdict,
        lead=text(f"{VERDICT_NAMES[result.verdict]}: {made.mechanism}, claim {claim_text(claim)}"),
        paragraph=tuple((label, text(said)) for label, said in explain(_account(result))),
        gauge=Gauge(claim.epsilon, bound.epsilon, bound.ceiling, result.detectable, result.verdict),
        drawn=_figures(result),
        lines=[text(line) for line in verdict_lines(result)],
        facts=_facts(result, p),
        method=_method_text(result),
        heads=heads,
        rows=rows,
        repeat=repeat,
        card=made.card,
        missing=_NO_SCORES if result.finding.scores is None else "",
    )


def _account(result: AuditResult) -> Account:
    made, again = result.provenance, result.confirmation
    return Account(
        f"{made.mechanism} ({made.stands_for})" if made.stands_for else made.mechanism,
        result.claim,
        _tried(result),
        result.finding.bound,
        result.verdict,
        None if again is None else again.bound.epsilon,
        result.detectable,
    )


def _tried(result: AuditResult) -> str:
    made = result.provenance
    by = sampler_text(made)
    return (
        f"mlaudit trained it {count(made.trainings)} times, on the data D ({made.dataset}) and on data D′ that "
        f"differ from D in {changed_text(result.pair)}, and learned to guess from an output whether it came "
        f"from D or from D′; only guesses about fresh outputs were counted ({by})."
    )


def replay_command(path: Path, result: AuditResult, command: str) -> str:
    """The command that confirms a result; a mechanism outside mlaudit must be named again, as it was typed."""
    words = ["mlaudit", "replay", str(path)]
    try:
        rebuild_mechanism(result.provenance.parameters)
    except InvalidInput:
        typed = shlex.split(command)
        known = typed[:2] in (["mlaudit", "run"], ["mlaudit", "test"])
        words += ["--mechanism", typed[2] if known else "FILE:OBJECT"]
    return shlex.join(words)


def _figures(result: AuditResult) -> list[tuple[str, Sketch]]:
    finding, found = result.finding, []
    with report_settings():
        if finding.scores is not None:
            found.append(("Scores on D and on D′", single_figures.scores(finding.scores, result)))
        if isinstance(finding.evidence, ArmCounts):
            found.append(("Outputs in S", single_figures.arms(_sides(result), _rates(finding.evidence))))
        elif isinstance(finding.evidence, Bets):
            found.append(("The wealth after every bet", single_figures.wealth(finding.evidence, result)))
        else:
            seen = bound_prefixes(finding.evidence, finding.bound, result.claim.delta)
            if not finding.bound.assuming:
                found.append(("The bound at every fraction", single_figures.fractions(seen, result)))
    return found


def _sides(result: AuditResult) -> tuple[str, str]:
    return ("D′", "D") if result.finding.witness.complement else ("D", "D′")


def _rates(arms: ArmCounts) -> tuple[tuple[int, int], tuple[int, int]]:
    return (arms.hits, arms.trials), (arms.false_hits, arms.false_trials)


def _facts(result: AuditResult, p: float | None) -> list[tuple[str, str]]:
    made, bound = result.provenance, result.finding.bound
    plain = {k: v for k, v in made.parameters.items() if k != "type" and isinstance(v, str | int | float)}
    parameters = ", ".join(f"{k} = {v}" for k, v in plain.items())
    found = [
        (
            "Question",
            "How much does the learner leak on these data? mlaudit test asks whether the claim holds for all data.",
        ),
        ("Claimed", str(result.claim)),
        (
            "Detected",
            f"ε of at least {lower(bound.epsilon, result.claim.epsilon)}, with {confidence(bound.alpha)} confidence",
        ),
        ("p-value of the claim", f"p {p_value(p)}") if p is not None else ("", ""),
        ("Ceiling", f"{ceiling(bound.ceiling)}: the highest bound that so many trainings could have given"),
        ("Detectable", _detectable(result)),
        ("Mechanism", f"{made.mechanism} ({parameters})" if parameters else made.mechanism),
        ("Data", made.dataset),
        ("Unit", unit_text(result)),
        ("Attack", f"{result.attack}: {distance_text(result)}"),
        ("Procedure", f"{made.procedure.get('type', '')} ({bound.method})"),
        ("Trainings", f"{count(made.trainings)}, seed {made.seed}"),
        ("Audited", sampler_text(made)),
        ("Versions", ", ".join(f"{k} {v}" for k, v in made.versions.items())),
        *(("Note", note) for note in made.notes),
    ]
    return [(name, text(value)) for name, value in found if value]


def _detectable(result: AuditResult) -> str:
    if isinf(result.detectable):
        return ""
    return f"a true ε of {upwards(result.detectable)} or more, with probability 90 %, if this pair shows it"


def _table(result: AuditResult) -> tuple[list[str], list[tuple[Cell, ...]]]:
    finding = result.finding
    if isinstance(finding.evidence, ArmCounts):
        sides = zip(_sides(result), _rates(finding.evidence), strict=True)
        return ["Trained on", "in S", "trainings"], [(side, hits, trials) for side, (hits, trials) in sides]
    if isinstance(finding.evidence, Bets):
        return _betting_table(finding.evidence, result)
    most = percent(largest_accuracy(result.claim.epsilon, finding.bound.steps))
    rows: list[tuple[Cell, ...]] = []
    for prefix in bound_prefixes(finding.evidence, finding.bound, result.claim.delta):
        right = percent(prefix.accuracy)
        alone = float(lower(prefix.epsilon, None))  # shown as in the figure
        rows.append((percent(prefix.share), prefix.guesses, prefix.right, right, most, alone))
    heads = ["Most confident", "guesses", "correct", "correct (%)", "most under the claim", "ε shown alone"]
    if finding.bound.assuming:
        return heads[:4], [row[:4] for row in rows]
    return heads, rows


def _betting_table(bets: Bets, result: AuditResult) -> tuple[list[str], list[tuple[Cell, ...]]]:
    won = np.exp(log_wealth(bets, result.claim, result.finding.bound.steps))
    at = np.unique(np.geomspace(1, max(bets.counted, 1), 9).astype(int))
    rows: list[tuple[Cell, ...]] = [
        (bets.learned + int(n), int(n), int(bets.right[:n].sum()), float(won[n - 1])) for n in at if n <= len(won)
    ]
    return ["Trainings", "bets", "correct", "wealth against the claim"], rows


def _method_text(result: AuditResult) -> str:
    finding = result.finding
    kind = type(finding.evidence)
    how = {ArmCounts: _ARMS, Bets: _BET}.get(kind, _GUESSED)
    steps = finding.bound.steps
    apart = f" D and D′ are {steps} steps apart, and the bound is for one of the {steps} steps." if steps > 1 else ""
    leaks = isinstance(finding.evidence, GuessCounts) and result.claim.delta > 0 and not finding.bound.assuming
    accounted = " δ allows that some trainings reveal their label; the bound accounts for them." if leaks else ""
    return how + apart + accounted
