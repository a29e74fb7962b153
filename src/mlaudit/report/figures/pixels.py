"""DP-SGD on images: detected ε with pixels moved to other ranges, by number of rows, a line for each attack."""

import json
from collections.abc import Sequence

from mlaudit.report.cells import Cell
from mlaudit.report.figures._groups import ours_first
from mlaudit.report.figures._lines import Key, detected_over_specified
from mlaudit.report.figures._sketch import Sketch
from mlaudit.report.numbers import short
from mlaudit.types.row import Study


def pixels(cells: Sequence[Cell], study: Study) -> Sketch:
    """The paper's figure of DP-SGD; needs audits whose parameters say `pixels`."""
    return detected_over_specified(
        cells,
        lambda cell: cell.series,
        ours_first,
        "A panel for each dataset, number of changed rows k, and range of the pixels. Each mark is the mean lower "
        "bound over the replicates, its thin bar their range, both axes logarithmic.",
        panel=_panel,
    )


def _panel(cell: Cell) -> Key:
    asked = json.loads(cell.params or "{}")
    return f"{cell.data}, k = {short(cell.rows)}", f"pixels {asked.get('pixels', 'as they are')}"
