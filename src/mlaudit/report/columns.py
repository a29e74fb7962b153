"""The columns of the verdict table, for the page and for Markdown."""

from collections.abc import Callable
from dataclasses import dataclass

from mlaudit.report.cells import CellView
from mlaudit.report.multiplicity import Family
from mlaudit.results.lines import VERDICT_NAMES
from mlaudit.types.numbers import bound, ceiling, confidence, count, measurement, p_value, parameter, upwards


@dataclass(frozen=True)
class Line:
    """A cell with its position among all cells, whose p-values it needs."""

    cell: CellView
    position: int
    tests: Family
    versions: str


@dataclass(frozen=True)
class Column:
    """A heading, what a line says under it, what it is sorted by (None: its text), and whether it is printed."""

    title: str
    says: Callable[[Line], str]
    sorts: Callable[[Line], float | None] | None = None
    on_paper: bool = True


def _holm(line: Line) -> str:
    if not line.cell.violated:
        return ""
    corrected = line.tests.adjusted.get(line.position)
    if corrected is None:
        return "no p-value"
    return f"{'remains' if line.tests.remains(line.position) else 'does not remain'}, p {p_value(corrected)}"


def _verdict(line: Line) -> str:
    return VERDICT_NAMES.get(line.cell.verdict, line.cell.verdict)


def _detected_epsilon(line: Line) -> str:
    implied = " (Gaussian DP)" if line.cell.assuming else ""
    return bound(line.cell.detected, line.cell.epsilon) + implied


def _detects(line: Line) -> str:
    return "" if line.cell.detectable is None else upwards(line.cell.detectable)


def _sampler(line: Line) -> str:
    cell = line.cell
    if cell.repeated is None:
        return cell.sampler
    by = "own fit" if cell.sampler == "batched" else "repeated"
    return f"{cell.sampler}; {by} ≥ {bound(cell.repeated, cell.epsilon)}"


def _library(line: Line) -> str:
    return " · ".join(part for part in (line.cell.stands_for, line.versions) if part)


COLUMNS = (
    Column("Verdict", _verdict),
    Column("Mechanism", lambda line: line.cell.mechanism),
    Column("Data", lambda line: line.cell.data),
    Column("Claimed ε", lambda line: parameter(line.cell.epsilon), lambda line: line.cell.epsilon),
    Column("Detected ε ≥", _detected_epsilon, lambda line: line.cell.detected),
    Column("Ceiling", lambda line: ceiling(line.cell.ceiling), lambda line: line.cell.ceiling),
    Column("Detects ε ≥", _detects, lambda line: line.cell.detectable, on_paper=False),
    Column("Confidence", lambda line: confidence(line.cell.alpha), lambda line: line.cell.alpha),
    Column("After Holm", _holm, lambda line: line.tests.adjusted.get(line.position)),
    Column("Attack", lambda line: " · ".join(p for p in (line.cell.label, line.cell.attack_shown) if p)),
    Column("δ", lambda line: parameter(line.cell.delta), lambda line: line.cell.delta),
    Column("Relation", lambda line: line.cell.relation),
    Column("Rows k", lambda line: measurement(line.cell.rows), lambda line: line.cell.rows, on_paper=False),
    Column("Procedure", lambda line: line.cell.procedure, on_paper=False),
    Column(
        "Trainings",
        lambda line: "" if line.cell.trainings is None else count(line.cell.trainings),
        lambda line: line.cell.trainings,
        on_paper=False,
    ),
    Column("Sampler", _sampler),
    Column("Versions", _library),
    Column("Seed", lambda line: measurement(line.cell.seed, 20), lambda line: line.cell.seed),
    Column("Study", lambda line: line.cell.study, on_paper=False),
)
