"""The first page: the title, the verdict, a few sentences in plain words, and the gauge."""

from mlaudit.report.gauge import Gauge, draw_gauge
from mlaudit.report.glossary import link_terms
from mlaudit.report.markup import Html, el
from mlaudit.report.plain import Paragraph

KICKER = "Privacy audit by mlaudit"


def opening(
    title: str, verdict: str, lead: str, paragraph: Paragraph, gauge: Html | None, *more: Html | None
) -> Html:
    """The header of a page; `more` follows the gauge."""
    seen: set[str] = set()
    words = [el("p", el("strong", label), " ", link_terms(said, seen)) for label, said in paragraph]
    box = el("div", el("p", lead, class_="lead"), *words, class_=f"verdict {verdict}")
    return el("header", el("p", KICKER, class_="kicker"), el("h1", title), box, gauge, *more)


def gauge_table(gauge: Gauge) -> list[tuple[str, str]]:
    """The gauge where there are no pictures: names and numbers.

    >>> gauge_table(Gauge(1.0, 1.25, 7.0, None, "violated"))
    [('Claim', 'ε = 1'), ('Lower bound', 'ε ≥ 1.25'), ('Ceiling', 'ε = 7')]
    """
    return [(title, said) for title, said, *_ in gauge.readings()]


def titled_gauge(gauge: Gauge, about: str = "") -> Html:
    """The gauge with a line above it that says which audit it shows."""
    return el("div", el("p", about, class_="muted") if about else None, draw_gauge(gauge), class_="gauge-box")
