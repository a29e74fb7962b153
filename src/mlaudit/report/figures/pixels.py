"""DP-SGD on images: detected ε with pixels moved to other ranges, by number of rows, a line for each attack."""

import json
from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._groups import sort_ours_first
from mlaudit.report.figures._lines import Key, draw_detected_over_specified
from mlaudit.report.figures._sketch import Sketch
from mlaudit.types.numbers import measurement
from mlaudit.types.row import Study


def pixels(cells: Sequence[CellView], study: Study) -> Sketch:
    """The paper's figure of DP-SGD; needs audits whose parameters say `pixels`."""
    return draw_detected_over_specified(
        cells,
        lambda cell: cell.series,
        sort_ours_first,
        "A panel for each dataset, number of changed rows k, and range of the pixels. Each mark is the mean lower "
        "bound over the replicates, its thin bar their range, both axes logarithmic.",
        panel=_panel,
    )


def _panel(cell: CellView) -> Key:
    pixels = json.loads(cell.params or "{}").get("pixels")
    return f"{cell.data}, k = {measurement(cell.rows)}", f"pixels {pixels[0]}…{pixels[1]}" if pixels else ""
