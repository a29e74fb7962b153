"""Detected ε by the number of changed rows k: many rows help at small ε and cost at large ε."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._lines import draw_detected_over_specified
from mlaudit.report.figures._sketch import Sketch
from mlaudit.types.numbers import measurement
from mlaudit.types.row import Study


def by_rows(cells: Sequence[CellView], study: Study) -> Sketch:
    """A line for each k over the specified ε; needs audits with different rows."""
    return draw_detected_over_specified(
        cells,
        lambda cell: f"k = {measurement(cell.rows)}",
        lambda names: sorted(set(names), key=lambda name: (len(name), name)),
        "k rows are changed at once, and the bound is divided by the steps between the datasets. A larger k shows "
        "smaller ε, but lowers the ceiling. Means over replicates, with their range as a thin bar.",
    )
