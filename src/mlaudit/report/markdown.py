"""The report as Markdown: the verdict, the figures as linked files, the table."""

import re
from collections.abc import Iterable, Sequence

from mlaudit.report.columns import COLUMNS, Line
from mlaudit.report.glossary import GLOSSARY
from mlaudit.report.html import MOST_FAILED, MOST_ROWS, Drawn
from mlaudit.report.plain import Paragraph
from mlaudit.report.plain_sweep import explain_sweep
from mlaudit.report.summary import Summary, title_of, version_sets
from mlaudit.report.words import cell_name, error_sentence, verdict_sentence
from mlaudit.types.numbers import count, plural

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$])")


def render(whole: Summary, drawn: Sequence[tuple[Drawn, str]]) -> str:
    """The Markdown file; each figure comes with the stem of its files."""
    tests = whole.tests
    parts = [
        f"# {escape(title_of(whole.studies) or whole.name)}",
        f"**{verdict_sentence(whole.cells, tests)}**",
        paragraph(explain_sweep(whole)),
        error_sentence(tests) if tests.tests else "",
        f"{plural(len(whole.failed_cells), 'cell was', 'cells were')} refused or failed."
        if whole.failed_cells
        else "",
        "## Verdicts",
        _table(whole),
        *(part for one, stem in drawn for part in _study(one, stem)),
        *_failed_cells(whole),
        "## Versions",
        "\n".join(f"- {name}: {escape(found)}" for found, name in version_sets(whole.cells).items()),
        *glossary_parts(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is, on one line.

    >>> escape("<script>|a_b")
    '\\<script\\>\\|a\\_b'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(map(escape, heads))} |", f"|{' --- |' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(escape, row))} |" for row in rows)])


def paragraph(parts: Paragraph) -> str:
    """Sentences with their introductions in bold.

    >>> paragraph((("Found.", "Nothing."), ("Tried.", "All.")))
    '**Found.** Nothing. **Tried.** All.'
    """
    return " ".join(f"**{escape(label)}** {escape(said)}" for label, said in parts)


def glossary_parts() -> list[str]:
    """The glossary as a section."""
    return ["## Glossary", "\n".join(f"- **{escape(term)}**: {escape(said)}" for term, said in GLOSSARY.items())]


def _table(whole: Summary) -> str:
    names = version_sets(whole.cells)
    shown = [(position, whole.cells[position]) for position in whole.audits[:MOST_ROWS]]
    lines = [Line(cell, position, whole.tests, names.get(cell.versions, "")) for position, cell in shown]
    left = len(whole.audits) - len(shown)
    more = (
        f"\n\nThe first {count(MOST_ROWS)} of {count(len(whole.audits))} audits; report.csv has all." if left else ""
    )
    return table([c.title for c in COLUMNS], ([c.says(line) for c in COLUMNS] for line in lines)) + more


def _study(one: Drawn, stem: str) -> list[str]:
    study, drawn, _, why = one
    title = escape(study.title or study.name)
    if drawn is None:
        return [f"## {title}", escape(study.about), escape(why)]
    links = " · ".join(f"[{kind.upper()}](figures/{stem}.{kind})" for kind in ("svg", "pdf", "png"))
    return [f"## {title}", escape(study.about), f"![{title}](figures/{stem}.png)", f"{escape(drawn.caption)} {links}"]


def _failed_cells(whole: Summary) -> list[str]:
    failed = whole.failed_cells
    items = [f"- {escape(cell_name(cell))}: {escape(cell.error)}" for cell in failed[:MOST_FAILED]]
    more = [f"{count(len(failed) - len(items))} more are in report.csv."] if len(failed) > len(items) else []
    return ["## Refused or failed", "\n".join(items), *more] if failed else []
