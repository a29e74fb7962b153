"""One file that opens from disk: style and script inside, nothing fetched, nothing run but our own few lines."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files

from mlaudit import __version__
from mlaudit.report.figures._sketch import Point, Sketch
from mlaudit.report.glossary import link_terms
from mlaudit.report.markup import Html, el
from mlaudit.report.pictures import inline
from mlaudit.report.self_test import self_test_sentence
from mlaudit.types.numbers import bound, count, measurement

_MOST_POINTS = 600
_WIDE = 8.0  # inches from which a narrow screen scrolls a figure rather than shrinks it


def page(title: str, body: Iterable[Html]) -> str:
    """The whole HTML file.

    Args:
        title: What the report is about: the study, or the learner and its data.
        body: The header and the sections.
    """
    style, script = (files("mlaudit.report").joinpath(name).read_text("utf-8") for name in ("style.css", "table.js"))
    digest = b64encode(sha256(script.encode()).digest()).decode("ascii")
    # Even a name that slipped through unescaped could neither run nor load anything.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="generator", content=f"mlaudit {__version__}"),
        el("title", f"{title} – mlaudit report"),
        el("style", Html(style)),
    )
    made = el(
        "footer",
        el("p", self_test_sentence()),
        el("p", f"Made by mlaudit {__version__}. This file needs no network and sends nothing."),
    )
    whole = el("html", head, el("body", el("main", *body), made, el("script", Html(script))), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def picture(drawn: Sketch, svg: str, *, numbers: bool = True) -> Html:
    """A figure with its caption and, folded away, its numbers."""
    wide = drawn.figure.get_figwidth() > _WIDE
    marked = inline(svg).replace("<svg ", '<svg class="wide" ', 1) if wide else inline(svg)
    shown = el("div", _hint("figure"), el("div", Html(marked), class_="picture"), class_="sideways")
    table = _number_table(drawn) if numbers and drawn.points else None
    return el("figure", shown, el("figcaption", drawn.caption), table)


def plain_table(heads: Sequence[str], rows: Iterable[Sequence[object]], caption: str | None = None) -> Html:
    """A small table; numbers to the right."""
    numeric: list[bool] = []
    lines = []
    for row in rows:
        numeric = [not isinstance(value, str) for value in row]
        cells = [
            el("td", _format_value(v), class_="number" if n else None) for v, n in zip(row, numeric, strict=True)
        ]
        lines.append(el("tr", *cells))
    right = numeric or [False] * len(heads)
    titles = [
        el("th", head, scope="col", class_="number" if n else None) for head, n in zip(heads, right, strict=True)
    ]
    said = None if caption is None else el("caption", caption)
    return scrolling(el("table", said, el("thead", el("tr", *titles)), el("tbody", *lines)))


def scrolling(table: Html, kind: str = "scroll", label: str | None = None) -> Html:
    """A table that scrolls by itself, with a hint that the script shows where a part of the table is hidden."""
    region = {} if label is None else {"tabindex": "0", "role": "region", "aria_label": label}
    return el("div", _hint("table"), el("div", table, class_=kind, **region), class_="sideways")


def _hint(what: str) -> Html:
    return el("p", f"Scroll sideways to see the whole {what} ", el("span", "→", aria_hidden="true"), class_="hint")


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Names, which lead to the glossary, and what they are."""
    parts = [part for name, value in pairs for part in (el("dt", link_terms(name)), el("dd", value))]
    return el("dl", *parts, class_="facts")


def _format_value(value: object) -> object:
    if isinstance(value, float):
        return measurement(value)
    return count(value) if isinstance(value, int) else value


def _number_table(drawn: Sketch) -> Html:
    def show(value: float) -> float:
        return float(bound(value, None)) if "detected" in drawn.y else value  # a bound is the same everywhere

    def row(point: Point) -> tuple[object, ...]:
        found = show(point.y), show(point.low), show(point.high)
        return point.panel, point.series, point.x, *found, point.count

    shown = drawn.points[:_MOST_POINTS]
    left = len(drawn.points) - len(shown)
    note = (
        f"The first {count(_MOST_POINTS)} of {count(len(drawn.points))} marks; the CSV has all." if left > 0 else None
    )
    heads = ("Panel", "Line", drawn.x, f"{drawn.y} (mean)", "least", "most", "cells")
    table = plain_table(heads, map(row, shown), note)
    return el("details", el("summary", "The numbers of this figure"), table, class_="no-print")
