"""The report of a sweep: from its store to files."""

from collections.abc import Iterator
from pathlib import Path
from re import sub

from mlaudit.errors import AuditError, InvalidInput, MissingExtra
from mlaudit.naming.plugins import load_shipped
from mlaudit.report import html, markdown, spreadsheet
from mlaudit.report.figures._sketch import Sketch, report_settings
from mlaudit.report.html import Drawn
from mlaudit.report.summary import Summary
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.row import Study

Files = Iterator[tuple[str, str | bytes]]


def read_summary(path: Path) -> Summary:
    """What a result store holds."""
    store = SqliteResults(path)
    try:
        whole = Summary.read(store, path.resolve().parent.name)
    finally:
        store.close()
    if not whole.cells:
        raise InvalidInput(f"{path} must hold results, got none; run the sweep first")
    return whole


def files(whole: Summary, wanted: frozenset[str]) -> Files:
    """Each file of the report by its name; `wanted` among html, md, csv."""
    if "csv" in wanted:
        yield "report.csv", spreadsheet.table(whole.cells, whole.tests)
    if not wanted & {"html", "md"}:
        return
    drawn = [_draw(position, study, whole) for position, study in enumerate(whole.studies)]
    stems = [_stem(position, study) for position, study in enumerate(whole.studies)]
    if "html" in wanted:
        yield "report.html", html.render(whole, drawn)
    if "md" in wanted:
        yield "report.md", markdown.render(whole, list(zip(drawn, stems, strict=True)))
        for (_, sketch, svg, _), stem in zip(drawn, stems, strict=True):
            if sketch is not None:
                yield from _export(sketch, svg, stem)


def _export(sketch: Sketch, svg: str, stem: str) -> Files:
    from mlaudit.report import pictures  # noqa: PLC0415 - only where figures are drawn

    yield f"figures/{stem}.svg", svg
    yield f"figures/{stem}.png", pictures.png(sketch)
    yield f"figures/{stem}.pdf", pictures.pdf(sketch)


def _draw(position: int, study: Study, whole: Summary) -> Drawn:
    """A study's figure, or the reason why it has none: a figure that fails must not cost the report."""
    from mlaudit.report import pictures  # noqa: PLC0415 - only where figures are drawn

    if not study.figure:
        return study, None, "", "This study has no figure; its rows are in the table."
    if not whole.cells_of(study):
        return study, None, "", "No cell of this study has been measured yet."
    try:
        draw = load_shipped("figures", study.figure)
        with report_settings():
            sketch = draw(whole.cells_of(study), study)
        svg = pictures.svg(sketch, f"f{position}", study.title or study.name)
    except MissingExtra:
        raise
    except AuditError as error:
        return study, None, "", f"There is no figure: {error}."
    except Exception as error:  # noqa: BLE001 - rows come from anywhere, and somebody else's figure may raise anything
        return study, None, "", f"The figure {study.figure} cannot be drawn from these rows: {error}."
    return study, sketch, svg, ""


def _stem(position: int, study: Study) -> str:
    """A file name made of a study's name, and its position, which keeps it apart from others."""
    plain = sub(r"[^A-Za-z0-9_-]+", "-", study.name).strip("-")[:60] or "study"
    return f"{position + 1:02d}-{plain}"
