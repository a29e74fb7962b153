"""The gauge: claim, bound, smallest detectable violation and ceiling as bars on one scale of ε."""

from math import isfinite
from typing import NamedTuple

from mlaudit.report.markup import Html, el
from mlaudit.types import numbers
from mlaudit.types.numbers import parameter, upwards

_ROW, _BAR, _TEXT = 46, 12, 16  # pixels: a row, its bar, the base line of its text
_ROOM = 2.2  # times the largest of claim and bound: a ceiling beyond is cut off, with an arrow


class Gauge(NamedTuple):
    """The four numbers of an audit, and its verdict; `detectable` is None where it is not known."""

    claim: float
    bound: float
    ceiling: float
    detectable: float | None
    verdict: str

    def readings(self) -> list[tuple[str, str, float, str]]:
        """The name, the sentence, the value and the CSS class of each bar.

        >>> [(name, said) for name, said, *_ in Gauge(1.0, 0.876, 7.234, 1.1201, "not_refuted").readings()]
        [('Claim', 'ε = 1'), ('Lower bound', 'ε ≥ 0.876'), ('Detectable', 'from ε = 1.13 on'), \
('Ceiling', 'ε = 7.23')]
        """
        found = numbers.bound(self.bound, self.claim)
        rows = [("Claim", f"ε = {parameter(self.claim)}", self.claim, "claim")]
        rows.append(("Lower bound", f"ε ≥ {found}", self.bound, self.verdict))
        if self.detectable is not None and isfinite(self.detectable):
            rows.append(("Detectable", f"from ε = {upwards(self.detectable)} on", self.detectable, "reach"))
        rows.append(("Ceiling", f"ε = {numbers.ceiling(self.ceiling)}", self.ceiling, "reach"))
        return rows


_MEANINGS = {
    "Claim": "what was promised",
    "Lower bound": "what the audit has shown",
    "Detectable": "would have been detected with probability 90 %",
    "Ceiling": "the most that the audit could have shown",
}


def draw_gauge(gauge: Gauge, name: str = "gauge") -> Html:
    """The gauge as inline SVG. Widths are shares of the page, so that text keeps its size on a narrow screen."""
    rows = gauge.readings()
    # A ceiling far above everything else must not squeeze the rest.
    scale = _ROOM * max(gauge.claim, gauge.bound)
    shown = [value for *_, value, _ in rows]
    scale = max(shown) * 1.02 if max(shown) <= scale else scale
    height = _ROW * len(rows)
    said = "; ".join(f"{title.lower()} {text}" for title, text, *_ in rows)
    claim_at = _share(gauge.claim, scale)
    parts = [el("title", "Claim, bound and ceiling", id=f"{name}-title"), el("desc", f"{said}.", id=f"{name}-desc")]
    for index, (title, text, value, kind) in enumerate(rows):
        top = index * _ROW
        bar = {"y": top + _TEXT + 8, "height": _BAR}
        meaning = el("tspan", f" – {_MEANINGS[title]}", class_="more-words")
        words = el("tspan", f"{title}: {text}", class_="name") + meaning
        parts.append(el("text", Html(words), x="0", y=top + _TEXT))
        parts.append(el("rect", x="0", width="100%", rx=2, class_="track", **bar))
        if value > 0:
            parts.append(el("rect", x="0", width=_share(value, scale), rx=2, class_=f"bar {kind}", **bar))
        if value > scale:
            parts.append(_arrow(bar["y"]))
        line = {"y1": bar["y"] - 4, "y2": bar["y"] + _BAR + 4}
        parts.append(el("line", x1=claim_at, x2=claim_at, class_="mark-claim", **line))
    labels = f"{name}-title {name}-desc"
    picture = el("svg", *parts, width="100%", height=height, role="img", aria_labelledby=labels)
    return el("figure", picture, _legend(gauge, scale), class_="gauge")


def _share(value: float, scale: float) -> str:
    return f"{round(100 * min(value / scale, 1.0), 2)}%"


def _arrow(y: int) -> Html:
    """The bar goes on beyond the edge."""
    middle, below = y + _BAR // 2, y + _BAR
    points = f"-14,{y} -8,{y} -2,{middle} -8,{below} -14,{below} -8,{middle}"
    # A nested SVG puts the origin at the right edge, whatever the width is.
    return el("svg", el("polygon", points=points, class_="arrow"), x="100%", overflow="visible")


def _legend(gauge: Gauge, scale: float) -> Html:
    beyond = " An arrow marks a bar that goes on beyond the scale." if gauge.ceiling > scale else ""
    text = f"ε from 0 to {numbers.ceiling(scale)}. The dashed line is the claim: a bound beyond it refutes the claim."
    return el("figcaption", f"{text}{beyond}")
