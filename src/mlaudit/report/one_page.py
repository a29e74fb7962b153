"""The page of one result as HTML and as Markdown, whatever kind of audit made it."""

from collections.abc import Iterator
from dataclasses import dataclass

from mlaudit.report import markdown
from mlaudit.report.data_card import card_markdown, card_section
from mlaudit.report.figures._sketch import Sketch
from mlaudit.report.gauge import Gauge
from mlaudit.report.glossary import glossary_section, link_terms
from mlaudit.report.markup import Html, el
from mlaudit.report.opening import gauge_table, opening, titled_gauge
from mlaudit.report.page import facts, page, picture, plain_table
from mlaudit.report.plain import Paragraph
from mlaudit.types.card import DataCard
from mlaudit.types.numbers import count, measurement

Files = Iterator[tuple[str, str | bytes]]
Cell = str | int | float
_FINDINGS = "Findings, the worst first"


@dataclass(frozen=True)
class Entry:
    """One of several things of a kind, such as a finding: its title, and names with what they are."""

    title: str
    facts: list[tuple[str, str]]


@dataclass(frozen=True)
class OnePage:
    """All that the page of a result says, in its order."""

    title: str
    verdict: str
    lead: str
    paragraph: Paragraph
    gauge: Gauge
    drawn: list[tuple[str, Sketch]]
    lines: list[str]  # the sentences of the console
    facts: list[tuple[str, str]]
    method: str
    heads: list[str]
    rows: list[tuple[Cell, ...]]
    repeat: list[tuple[str, str]]  # what a command does, and the command
    card: DataCard | None = None
    missing: str = ""  # why there is a figure less
    findings: tuple[Entry, ...] = ()  # the worst first


def page_files(one: OnePage, wanted: frozenset[str]) -> Files:
    """The files of the page by name; `wanted` among html and md."""
    from mlaudit.report import pictures  # noqa: PLC0415 - only where figures are drawn

    drawings = [(title, sketch, pictures.svg(sketch, f"f{i}", title)) for i, (title, sketch) in enumerate(one.drawn)]
    if "html" in wanted:
        yield "report.html", _html(one, drawings)
    if "md" in wanted:
        yield "report.md", _markdown(one)
        for i, (_, sketch, svg) in enumerate(drawings, start=1):
            yield f"figures/{i:02d}.svg", svg
            yield f"figures/{i:02d}.png", pictures.png(sketch)
            yield f"figures/{i:02d}.pdf", pictures.pdf(sketch)


def _html(one: OnePage, drawings: list[tuple[str, Sketch, str]]) -> str:
    figures = [
        el("section", el("h2", title), picture(sketch, svg), class_="figure") for title, sketch, svg in drawings
    ]
    found = [el("p", link_terms(line)) for line in one.lines]
    body = [
        opening(one.title, one.verdict, one.lead, one.paragraph, titled_gauge(one.gauge)),
        el("div", *figures, class_="pair") if figures else None,
        el("p", one.missing, class_="muted") if one.missing else None,
        _findings_section(one.findings),
        el("section", el("h2", "What was claimed, what was found"), *found, facts(one.facts)),
        card_section(one.card),
        el(
            "section",
            el("h2", "How it was computed"),
            el("p", link_terms(one.method)),
            plain_table(one.heads, one.rows),
        ),
        el(
            "section",
            el("h2", "Again"),
            *(part for title, command in one.repeat for part in (el("h3", title), el("pre", command))),
        ),
        glossary_section(),
    ]
    return page(one.title, [part for part in body if isinstance(part, Html)])


def _findings_section(findings: tuple[Entry, ...]) -> Html | None:
    if not findings:
        return None
    parts = [part for entry in findings for part in (el("h3", entry.title), facts(entry.facts))]
    return el("section", el("h2", _FINDINGS), *parts)


def _markdown(one: OnePage) -> str:
    escape = markdown.escape
    figures = [
        f"## {title}\n\n![{title}](figures/{i:02d}.png)\n\n{escape(sketch.caption)}"
        for i, (title, sketch) in enumerate(one.drawn, start=1)
    ]
    parts = [
        f"# {escape(one.title)}",
        f"**{escape(one.lead)}**",
        markdown.paragraph(one.paragraph),
        markdown.table(["", ""], gauge_table(one.gauge)),
        *figures,
        *([f"## {_FINDINGS}"] if one.findings else []),
        *(f"### {escape(entry.title)}\n\n{markdown.table(['', ''], entry.facts)}" for entry in one.findings),
        "## What was claimed, what was found",
        *map(escape, one.lines),
        markdown.table(["", ""], one.facts),
        *card_markdown(one.card),
        "## How it was computed",
        escape(one.method),
        markdown.table(one.heads, [[_plain(value) for value in row] for row in one.rows]),
        "## Again",
        *(f"{title}:\n\n{_code(command)}" for title, command in one.repeat),
        *markdown.glossary_parts(),
    ]
    return "\n\n".join(parts) + "\n"


def _plain(value: Cell) -> str:
    if isinstance(value, float):
        return measurement(value)
    return count(value) if isinstance(value, int) else value


def _code(command: str) -> str:
    """Indented, so that nothing in it can end it."""
    return "\n".join(f"    {line}" for line in command.splitlines())
