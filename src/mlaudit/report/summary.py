"""A result store read for a report: cells, their order, and what all of them say together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mlaudit.report.cells import CellView, cell_of
from mlaudit.report.multiplicity import Family, family
from mlaudit.results.verdict import VERDICTS
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.numbers import plural
from mlaudit.types.row import Study

_RANK: dict[str, int] = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
# What a reader wants first: what went wrong, then the paper's figures in its order; others after them, none last.
_ORDER = (
    "violations",
    "specified_detected",
    "by_rows",
    "ablation",
    "sphericity",
    "relative_influence",
    "delta",
    "coverage",
)


@dataclass(frozen=True)
class Summary:
    """Every study and cell of a store."""

    name: str
    studies: tuple[Study, ...]
    cells: list[CellView]

    @classmethod
    def read(cls, store: SqliteResults, name: str) -> "Summary":
        """Each row is made small before the next one is read."""
        studies = tuple(sorted(store.studies(), key=lambda study: _order(study.figure)))
        return cls(name, studies, [cell_of(row) for study in studies for row in store.rows(study.name)])

    @cached_property
    def tests(self) -> Family:
        """Holm over all cells."""
        return family(self.cells)

    @cached_property
    def audits(self) -> list[int]:
        """The positions of audits that came to an end: the gravest first, the furthest above its claim leading."""

        def rank(position: int) -> tuple[int, float]:
            cell = self.cells[position]
            first = _RANK.get(cell.verdict, len(_RANK))
            above = (cell.detected or 0.0) - (cell.epsilon or 0.0)
            return first, -above if above > 0 else 0.0

        return sorted((position for position, cell in enumerate(self.cells) if cell.audited), key=rank)

    @property
    def leading(self) -> CellView | None:
        """The audit that a reader should see first: the gravest; if none is a violation, the nearest to its claim."""
        audits = [self.cells[position] for position in self.audits]
        whole = [cell for cell in audits if cell.epsilon and cell.ceiling is not None and cell.detected is not None]
        if not whole or whole[0].verdict == "violated":
            return whole[0] if whole else None
        return max(whole, key=lambda cell: (cell.detected or 0.0) / (cell.epsilon or 1.0))

    @property
    def failed_cells(self) -> list[CellView]:
        """The cells that have no result."""
        return [cell for cell in self.cells if cell.error]

    def count_verdict(self, verdict: str) -> int:
        """How many audits ended so."""
        return sum(cell.audited and cell.verdict == verdict for cell in self.cells)

    def cells_of(self, study: Study) -> list[CellView]:
        """The cells of a study."""
        return [cell for cell in self.cells if cell.study == study.name]


def _order(figure: str) -> int:
    return _ORDER.index(figure) if figure in _ORDER else len(_ORDER) + (not figure)


def version_sets(cells: Iterable[CellView]) -> dict[str, str]:
    """A short name for every set of versions that occurs.

    >>> version_sets([])
    {}
    """
    return {found: f"V{i}" for i, found in enumerate(dict.fromkeys(c.versions for c in cells if c.versions), start=1)}


def title_of(studies: Sequence[Study]) -> str:
    """The title of a report: that of its study, or of the first two studies.

    >>> title_of([Study("a", "Noise")]), title_of([Study("a", "Noise"), Study("b", ""), Study("c", "")])
    ('Noise', 'Noise, b and 1 more study')
    """
    names = [study.title or study.name for study in studies]
    if len(names) <= 2:
        return " and ".join(names)
    return f"{names[0]}, {names[1]} and {plural(len(names) - 2, 'more study', 'more studies')}"
