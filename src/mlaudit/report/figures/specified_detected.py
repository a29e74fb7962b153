"""Specified against detected ε: all datasets and learners in one grid, a line for each attack."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._groups import sort_ours_first
from mlaudit.report.figures._lines import draw_detected_over_specified
from mlaudit.report.figures._sketch import Sketch
from mlaudit.types.row import Study


def specified_detected(cells: Sequence[CellView], study: Study) -> Sketch:
    """The paper's Figure 2; needs audits over several ε."""
    return draw_detected_over_specified(
        cells,
        lambda cell: cell.series,
        sort_ours_first,
        "Each mark is the mean lower bound over the replicates, its thin bar their range, both axes logarithmic. "
        "A mark above the dashed line is more than the learner claims; none can lie above the dotted one.",
    )
