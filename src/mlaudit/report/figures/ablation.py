"""An ablation: a line for each variant over the specified ε, in the order of the study."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._groups import drop_repeats
from mlaudit.report.figures._lines import draw_detected_over_specified
from mlaudit.report.figures._sketch import Sketch
from mlaudit.types.row import Study


def ablation(cells: Sequence[CellView], study: Study) -> Sketch:
    """The paper's ablations of Naive Bayes and logistic regression; needs audits with labels."""
    return draw_detected_over_specified(
        cells,
        lambda cell: cell.series,
        drop_repeats,
        "Each line leaves out or adds one part of the audit. Means over replicates, with their range as a thin bar; "
        "a mark above the dashed line is more than the learner claims.",
    )
