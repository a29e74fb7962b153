"""The one-page report of a single audit."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.report import markdown, single_figures, spreadsheet
from mlaudit.report.cells import cell_of, text
from mlaudit.report.cells import command as shell_command
from mlaudit.report.data_card import card_markdown, card_section
from mlaudit.report.figures._sketch import Sketch, report_settings
from mlaudit.report.markup import Html, el
from mlaudit.report.multiplicity import family
from mlaudit.report.page import facts, page, picture, plain_table
from mlaudit.report.prefixes import bound_prefixes, largest_accuracy
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.json import read_object, read_text
from mlaudit.results.replay import rebuild_mechanism
from mlaudit.results.summary import summarise_evidence
from mlaudit.results.text import distance_text, headline, sampler_text, verdict_lines
from mlaudit.statistics.e_process import log_wealth
from mlaudit.types.finding import ArmCounts, Bets
from mlaudit.types.numbers import bound as lower
from mlaudit.types.numbers import ceiling, confidence, count, measurement, p_value, percent
from mlaudit.types.row import Row

Files = Iterator[tuple[str, str | bytes]]
_GUESSED = (
    "Labels were fair coins: heads, the learner was trained on D; tails, on D′. Each label was then guessed from the "
    "output by a distinguisher learned on earlier trainings only. Under the claim no guess is right more often than "
    "the share given below, whatever came before, so that the right guesses among the most confident ones are "
    "dominated by a Bernoulli walk. The exact p-value of a scan over all sets at once gives the bound."
)
_ARMS = (
    "A set S of outputs was searched on some trainings, and hits were counted on as many fresh ones of either "
    "dataset. An interval for the ratio of the two probabilities gives the bound."
)
_BET = (
    "Labels were fair coins: heads, the learner was trained on D; tails, on D′. Each label was then guessed from the "
    "output by distinguishers learned on earlier trainings only, and part of a wealth of 1 was staked on it, at odds "
    "that are fair or worse under the claim. Such a wealth ever reaches 1/α with probability at most α, so that it "
    "may be looked at after every training; a claim against which it did is refuted."
)


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
    if not wanted & {"html", "md"}:
        return
    from mlaudit.report import pictures  # noqa: PLC0415 - only where figures are drawn

    drawn = _figures(result)
    drawings = [(title, sketch, pictures.svg(sketch, f"f{i}", title)) for i, (title, sketch) in enumerate(drawn)]
    repeat = [("Repeat it", command)] if command else []
    repeat.append(("Confirm it on fresh trainings", _replay_command(path, result, command)))
    p = family([cell]).plain.get(0)
    if "html" in wanted:
        yield "report.html", _html(result, drawings, repeat, p)
    if "md" in wanted:
        yield "report.md", _markdown(result, drawings, repeat, p)
        for i, (_, sketch, svg) in enumerate(drawings, start=1):
            yield f"figures/{i:02d}.svg", svg
            yield f"figures/{i:02d}.png", pictures.png(sketch)
            yield f"figures/{i:02d}.pdf", pictures.pdf(sketch)


def _replay_command(path: Path, result: AuditResult, command: str) -> str:
    """The command that confirms a result; a mechanism outside mlaudit must be named again, as it was typed."""
    words = ["mlaudit", "replay", str(path)]
    try:
        rebuild_mechanism(result.provenance.parameters)
    except InvalidInput:
        typed = shlex.split(command)
        words += ["--mechanism", typed[2] if typed[:2] == ["mlaudit", "run"] else "FILE:OBJECT"]
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
        ("Claimed", str(result.claim)),
        (
            "Detected",
            f"ε of at least {lower(bound.epsilon, result.claim.epsilon)}, with {confidence(bound.alpha)} confidence",
        ),
        ("p-value of the claim", f"p {p_value(p)}") if p is not None else ("", ""),
        ("Ceiling", f"{ceiling(bound.ceiling)}: no outcome of so many trainings could have shown more"),
        ("Mechanism", f"{made.mechanism} ({parameters})" if parameters else made.mechanism),
        ("Data", made.dataset),
        ("Attack", f"{result.attack}: {distance_text(result)}"),
        ("Procedure", f"{made.procedure.get('type', '')} ({bound.method})"),
        ("Trainings", f"{count(made.trainings)}, seed {made.seed}"),
        ("Audited", sampler_text(made)),
        ("Versions", ", ".join(f"{k} {v}" for k, v in made.versions.items())),
        *(("Note", note) for note in made.notes),
    ]
    return [(name, text(value)) for name, value in found if value]


def _table(result: AuditResult) -> tuple[list[str], list[tuple[str | int | float, ...]]]:
    finding = result.finding
    if isinstance(finding.evidence, ArmCounts):
        sides = zip(_sides(result), _rates(finding.evidence), strict=True)
        return ["Trained on", "in S", "trainings"], [(side, hits, trials) for side, (hits, trials) in sides]
    if isinstance(finding.evidence, Bets):
        return _betting_table(finding.evidence, result)
    most = percent(largest_accuracy(result.claim.epsilon, finding.bound.steps))
    rows: list[tuple[str | int | float, ...]] = []
    for prefix in bound_prefixes(finding.evidence, finding.bound, result.claim.delta):
        right = percent(prefix.accuracy)
        alone = float(lower(prefix.epsilon, None))  # shown as in the figure
        rows.append((percent(prefix.share), prefix.guesses, prefix.right, right, most, alone))
    heads = ["Most confident", "guesses", "right", "right (%)", "most under the claim", "ε shown alone"]
    if finding.bound.assuming:
        return heads[:4], [row[:4] for row in rows]
    return heads, rows


def _betting_table(bets: Bets, result: AuditResult) -> tuple[list[str], list[tuple[str | int | float, ...]]]:
    won = np.exp(log_wealth(bets, result.claim, result.finding.bound.steps))
    at = np.unique(np.geomspace(1, max(bets.counted, 1), 9).astype(int))
    rows: list[tuple[str | int | float, ...]] = [
        (bets.learned + int(n), int(n), int(bets.right[:n].sum()), float(won[n - 1])) for n in at if n <= len(won)
    ]
    return ["Trainings", "bets", "right", "wealth against the claim"], rows


def _method_text(result: AuditResult) -> str:
    finding = result.finding
    kind = type(finding.evidence)
    how = {ArmCounts: _ARMS, Bets: _BET}.get(kind, _GUESSED)
    steps = finding.bound.steps
    apart = f" D and D′ are {steps} steps apart, so that the bound is on one step of {steps}." if steps > 1 else ""
    free = getattr(finding.evidence, "allowance", 0)
    given = f" As δ may give labels away, {count(free)} right guesses are taken off every prefix." if free else ""
    return how + apart + given


def _html(
    result: AuditResult, drawings: list[tuple[str, Sketch, str]], repeat: list[tuple[str, str]], p: float | None
) -> str:
    said = [el("p", line) for line in verdict_lines(result)]
    box = el("div", el("p", headline(result), class_="lead"), *said, class_=f"verdict {result.verdict}")
    figures = [
        el("section", el("h2", title), picture(sketch, svg), class_="figure") for title, sketch, svg in drawings
    ]
    missing = el(
        "p", "This result was made before scores were kept; run its command again to see them.", class_="muted"
    )
    name = f"mlaudit report · {result.provenance.mechanism} on {result.provenance.dataset}"
    body = [
        el("header", el("h1", name), box),
        el("section", el("h2", "What was claimed, what was found"), facts(_facts(result, p))),
        card_section(result.provenance.card),
        el("div", *figures, class_="pair") if figures else None,
        missing if result.finding.scores is None else None,
        el("section", el("h2", "How it was computed"), el("p", _method_text(result)), plain_table(*_table(result))),
        el(
            "section",
            el("h2", "Again"),
            *(part for title, command in repeat for part in (el("h3", title), el("pre", command))),
        ),
    ]
    return page(name, [part for part in body if isinstance(part, Html)])


def _markdown(
    result: AuditResult, drawings: list[tuple[str, Sketch, str]], repeat: list[tuple[str, str]], p: float | None
) -> str:
    escape = markdown.escape
    heads, rows = _table(result)
    figures = [
        f"## {title}\n\n![{title}](figures/{i:02d}.png)\n\n{escape(sketch.caption)}"
        for i, (title, sketch, _) in enumerate(drawings, start=1)
    ]
    parts = [
        f"# {escape(result.provenance.mechanism)} on {escape(result.provenance.dataset)}",
        f"**{escape(headline(result))}**",
        *map(escape, verdict_lines(result)),
        markdown.table(["", ""], _facts(result, p)),
        *card_markdown(result.provenance.card),
        *figures,
        "## How it was computed",
        escape(_method_text(result)),
        markdown.table(heads, [[measurement(v) if isinstance(v, float) else str(v) for v in row] for row in rows]),
        "## Again",
        *(f"{title}:\n\n{_code(command)}" for title, command in repeat),
    ]
    return "\n\n".join(parts) + "\n"


def _code(command: str) -> str:
    """Indented, so that nothing in it can end it."""
    return "\n".join(f"    {line}" for line in command.splitlines())
