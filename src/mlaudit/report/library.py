"""The report of an audit of a library: one table, and every finding, as HTML and as Markdown."""

from collections.abc import Iterator

from mlaudit.library.result import Entry, LibraryResult
from mlaudit.library.text import DETECTS, HEADS, NAMES, explain_entry, method_line, show_row, title_line
from mlaudit.report import markdown
from mlaudit.report.cells import text
from mlaudit.report.glossary import glossary_section, link_terms
from mlaudit.report.markup import Html, el
from mlaudit.report.page import facts, page, plain_table
from mlaudit.types.differences import differences
from mlaudit.types.numbers import bound, plural

_TITLE = "Privacy claims of {}"
_FOUND = "What was found"


def files(result: LibraryResult, command: str) -> Iterator[tuple[str, str]]:
    """The files of the report by their names."""
    yield "report.html", _html(result, command)
    yield "report.md", _markdown(result, command)


def _tell(one: Entry) -> list[tuple[str, str]]:
    """The facts of an entry whose claim is refuted, or that was not tested."""
    if one.result is None or not one.result.findings:
        return [("Not tested" if one.result is None else "Not complete", text(why)) for why in explain_entry(one)]
    claimed = one.result.claim.epsilon
    return [
        fact
        for found in one.result.findings
        for fact in (
            ("Shown", f"ε ≥ {bound(found.epsilon, claimed)} at {text(found.place)}"),
            ("Cause", text(found.cause)),
            *(("Line", text(str(line))) for line in found.lines),
            ("D", text(f"{plural(len(found.pair.base), 'row')} of {found.pair.base.name}")),
            ("D′ by", text("; ".join([found.change, *differences(found.pair)]))),
        )
        if fact[1]
    ]


def _told(result: LibraryResult) -> list[Entry]:
    """What there is to tell: violations, the worst first, then what was not tested or ran out of time."""
    return [*result.violated, *(one for one in result.entries if one.verdict != "violated" and explain_entry(one))]


def _html(result: LibraryResult, command: str) -> str:
    name = _TITLE.format(text(f"{result.library} {result.version}".strip()))
    rows = [tuple(text(cell) for cell in show_row(one)) for one in result.entries]
    found = [part for one in _told(result) for part in (el("h3", text(one.name)), facts(_tell(one)))]
    body = [
        el("header", el("h1", name), el("p", text(title_line(result)), class_="lead")),
        el("section", el("h2", "Verdicts"), plain_table(HEADS, rows), el("p", DETECTS, class_="muted")),
        el("section", el("h2", _FOUND), *found) if found else None,
        el("section", el("h2", "How it was computed"), el("p", link_terms(method_line(result)))),
        el("section", el("h2", "Again"), el("pre", text(command))),
        glossary_section(),
    ]
    return page(name, [part for part in body if isinstance(part, Html)])


def _markdown(result: LibraryResult, command: str) -> str:
    parts = [
        f"# {markdown.escape(_TITLE.format(f'{result.library} {result.version}'.strip()))}",
        f"**{markdown.escape(title_line(result))}**",
        markdown.table(HEADS, map(show_row, result.entries)),
        DETECTS,
        *([f"## {_FOUND}"] if _told(result) else []),
        "\n".join(map(_list_entry, _told(result))),
        "## How it was computed",
        markdown.escape(method_line(result)),
        f"    {command}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _list_entry(one: Entry) -> str:
    said = markdown.escape("; ".join(explain_entry(one)))
    return f"- **{markdown.escape(one.name)}** ({NAMES[one.verdict].lower()}): {said}"
