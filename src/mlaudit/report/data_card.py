"""The data card in a report: what was done to the table before the audit."""

from mlaudit.report import markdown
from mlaudit.report.cells import text
from mlaudit.report.markup import Html, el
from mlaudit.report.page import facts, plain_table
from mlaudit.results.card_text import card_facts, card_rows
from mlaudit.types.card import DataCard

TITLE = "What was done to the data"
_HEADS = ["Column", "Encoding, or why it was dropped"]


def card_section(card: DataCard | None) -> Html | None:
    """A section of a page; none without a card."""
    if card is None:
        return None
    rows: list[tuple[str | int | float, ...]] = [(text(name), text(fate)) for name, fate in card_rows(card)]
    whole = [(text(name), text(value)) for name, value in card_facts(card)]
    return el("section", el("h2", TITLE), facts(whole), plain_table(_HEADS, rows))


def card_markdown(card: DataCard | None) -> list[str]:
    """Parts of a Markdown page; none without a card."""
    if card is None:
        return []
    whole = [(text(name), text(value)) for name, value in card_facts(card)]
    rows = [(text(name), text(fate)) for name, fate in card_rows(card)]
    return [f"## {TITLE}", markdown.table(["", ""], whole), markdown.table(_HEADS, rows)]
