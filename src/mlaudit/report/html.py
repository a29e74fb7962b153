"""The page of a sweep: verdict first, then the table of all cells, then a figure for each study."""

from collections.abc import Iterable, Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.columns import COLUMNS, Column, Line
from mlaudit.report.figures._sketch import Sketch
from mlaudit.report.glossary import glossary_section, link_terms
from mlaudit.report.markup import Html, el
from mlaudit.report.opening import opening, titled_gauge
from mlaudit.report.page import facts, page, picture, scrolling
from mlaudit.report.plain_sweep import explain_sweep, gauge_of, leading_words
from mlaudit.report.summary import Summary, title_of, version_sets
from mlaudit.report.words import cell_name, error_sentence, verdict_sentence
from mlaudit.results.verdict import VERDICTS
from mlaudit.types.numbers import count, plural
from mlaudit.types.row import Study

MOST_ROWS = 3000  # what a browser sorts and searches without a pause; the CSV has all
MOST_FAILED = 200
_LONG = frozenset({"Mechanism", "Data", "Attack"})
_CUT = 30  # letters that may not fit; the rest is said when pointed at
Drawn = tuple[Study, Sketch | None, str, str]  # study, figure, its SVG, why there is none

_HOW = (
    "Every audit makes a neighbouring dataset D′, retrains the learner many times on D and on D′, and learns to "
    "guess from an output whether it came from D or D′. It counts correct guesses on trainings that were not used to "
    "choose anything. The detected ε is a lower bound: with the stated confidence, the true ε is at least this "
    "large. It is not an upper bound: a small bound does not prove privacy. The ceiling is the highest bound that so "
    "many trainings could have given."
)
_ROWS = "One row for each audit, the gravest verdict first. The detected ε is the lower bound."
_HOLM = (
    "Holm's correction needs a p-value for each claim. It is computed from the stored counts at the claimed ε. For "
    "guesses it is the exact p-value of the nested scan (or, if that is tiny, an upper bound: the number of prefixes "
    "times the smallest p-value of a prefix). For hits in a set S it is the exact unconditional test of two "
    "binomials, whichever interval the audit used. For a claim of Gaussian DP it is the exact binomial test. Only "
    "the p-values of violations are computed, because the correction cannot refute a claim that was not refuted "
    "before it. All audits count in the number of tests. A p-value is about the trainings that were counted: if a "
    "batched sampler drew them, it is about that sampler. The repetition with the library's own fit is tested at α "
    "for each cell, without correction."
)
_SAMPLERS = (
    "Samplers. library: the library's own fit was called for every training. mirror: an implementation with the "
    "library's own random numbers, compared with its fit in every audit. batched: an implementation with random "
    "numbers of its own; its violations are repeated with the library's own fit (“own fit ≥”). function: the "
    "mechanism's own code."
)


def render(whole: Summary, drawn: Sequence[Drawn]) -> str:
    """The HTML file."""
    sections = [_header(whole, drawn), _verdicts(whole), *(_study(i, *one) for i, one in enumerate(drawn))]
    sections += [*_failed_cells(whole.failed_cells), _method_section(whole)]
    return page(title_of(whole.studies) or whole.name, [*sections, glossary_section()])


def _header(whole: Summary, drawn: Sequence[Drawn]) -> Html:
    tests = whole.tests
    counts, failed = {verdict: whole.count_verdict(verdict) for verdict in VERDICTS}, len(whole.failed_cells)
    kind = next((verdict for verdict in VERDICTS if counts[verdict]), "inconclusive")
    leading = whole.leading
    gauge = None if leading is None else titled_gauge(gauge_of(leading), f"{leading_words(leading)}:")
    said = [
        el("p", error_sentence(tests)) if tests.tests else None,
        el("p", _without_p(tests.unknown)) if tests.unknown else None,
    ]
    tiles = [
        _tile("audits", count(tests.tests)),
        _tile("violated", count(counts["violated"]), bad=counts["violated"] > 0),
        _tile("left after Holm", count(tests.left), bad=tests.left > 0),
        _tile("not repeated", count(counts["not_repeated"])) if counts["not_repeated"] else None,
        _tile("inconclusive", count(counts["inconclusive"])),
        _tile("not refuted", count(counts["not_refuted"])),
        _tile("refused or failed", count(failed), bad=failed > 0),
    ]
    links = [
        ("verdicts", "Verdicts"),
        *((f"study-{i}", study.title or study.name) for i, (study, *_) in enumerate(drawn)),
    ]
    links += [("failed", "Refused or failed")] * bool(failed)
    links += [("how", "How it was computed"), ("glossary", "Glossary")]
    return opening(
        title_of(whole.studies) or whole.name,
        kind,
        verdict_sentence(whole.cells, tests),
        explain_sweep(whole),
        gauge,
        el("dl", *tiles, class_="tiles"),
        *said,
        el(
            "nav",
            *(part for to, text in links for part in (el("a", text, href=f"#{to}"), " ")),
            aria_label="Sections",
        ),
    )


def _without_p(unknown: int) -> str:
    kept = "keeps its counts" if unknown == 1 else "keep their counts"
    why = f"no p-value can be computed, because no row {kept}; the correction does not confirm it"
    return f"For {plural(unknown, 'violation')} {why}."


def _tile(name: str, value: str, *, bad: bool = False) -> Html:
    return el("div", el("dt", name), el("dd", value), class_="bad" if bad else None)


def _verdicts(whole: Summary) -> Html:
    audits = whole.audits[:MOST_ROWS]
    names = version_sets(whole.cells)
    chosen = [(position, whole.cells[position]) for position in audits]
    lines = [Line(cell, position, whole.tests, names.get(cell.versions, "")) for position, cell in chosen]
    heads = [el("th", column.title, scope="col", class_=_class(column)) for column in COLUMNS]
    heads.append(el("th", "Repeat", scope="col", class_="minor"))
    left = len(whole.audits) - len(audits)
    more = (
        f" The table holds the first {count(MOST_ROWS)} of {count(len(whole.audits))}; report.csv has all."
        if left > 0
        else ""
    )
    filter_box = el(
        "div",
        el("label", "Filter ", el("input", type="search", data_filters="cells", aria_describedby="matches")),
        el("span", "", id="matches", role="status", class_="muted"),
        class_="tools",
        hidden="",
    )
    table = el(
        "table", el("thead", el("tr", *heads)), el("tbody", *map(_row, lines)), id="cells", class_="sortable verdicts"
    )
    return el(
        "section",
        el("h2", "Verdicts"),
        el(
            "p",
            link_terms(
                f"One row for each audit, the gravest verdict first. The detected ε is the lower bound.{more}"
            ),
        ),
        el("p", "On paper only the first 60 rows are printed; report.csv has all.", class_="only-print muted")
        if len(audits) > 60
        else None,
        filter_box,
        scrolling(table, "scroll tall", "Verdicts of all audits"),
        id="verdicts",
    )


def _class(column: Column) -> str | None:
    """How the cells of a column are set."""
    kinds = ["number"] * (column.sorts is not None) + ["long"] * (column.title in _LONG)
    return " ".join(kinds + ["minor"] * (not column.on_paper)) or None


def _row(line: Line) -> Html:
    cells = []
    for column in COLUMNS:
        number = None if column.sorts is None else column.sorts(line)
        sorted_by = None if column.sorts is None else "" if number is None else repr(number)
        said = column.says(line)
        whole = said if column.title in _LONG and len(said) > _CUT else None
        cells.append(el("td", said, class_=_class(column), data_v=sorted_by, title=whole))
    command = line.cell.command
    repeat = el("details", el("summary", "command"), el("code", command)) if command else ""
    # Only verdicts that are known may name a class.
    kind = next((verdict for verdict in VERDICTS if verdict == line.cell.verdict), None)
    return el("tr", *cells, el("td", repeat, class_="repeat minor"), class_=kind)


def _study(position: int, study: Study, drawn: Sketch | None, svg: str, why: str) -> Html:
    shown = picture(drawn, svg) if drawn is not None else el("p", why, class_="muted")
    about = el("p", study.about) if study.about else None
    return el("section", el("h2", study.title or study.name), about, shown, id=f"study-{position}", class_="figure")


def _failed_cells(cells: Sequence[CellView]) -> Iterable[Html]:
    if not cells:
        return
    items = [el("li", el("strong", cell_name(cell)), ": ", cell.error) for cell in cells[:MOST_FAILED]]
    left = len(cells) - len(items)
    more = el("p", f"{count(left)} more are in report.csv.") if left else None
    said = "These cells have no result and are not part of the numbers above."
    yield el("section", el("h2", "Refused or failed"), el("p", said), el("ul", *items), more, id="failed")


def _method_section(whole: Summary) -> Html:
    versions = [(name, found) for found, name in version_sets(whole.cells).items()]
    return el(
        "section",
        el("h2", "How it was computed"),
        el("p", link_terms(_HOW)),
        el("p", _HOLM),
        el("p", _SAMPLERS),
        el("h3", "Versions") if versions else None,
        facts(versions) if versions else None,
        id="how",
    )
