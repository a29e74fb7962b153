"""Coverage of the intervals: how often the bound was right, against how often it promises to be."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._groups import curve, drop_repeats, group_by
from mlaudit.report.figures._lines import draw_line
from mlaudit.report.figures._sketch import (
    INK,
    Sketch,
    grid_lines,
    legend_above,
    line_handle,
    line_style,
    shorten,
    sketch,
)
from mlaudit.types.numbers import count, parameter
from mlaudit.types.row import Study

_NOMINAL = {"color": INK, "alpha": 0.6, "lw": 1.0, "ls": (0, (5, 3))}
_WRAP = 3
_TICKS = 7  # more would run into each other


def coverage(cells: Sequence[CellView], study: Study) -> Sketch:
    """A panel for each number of trials and a line for each interval over p₁; needs rows of coverage."""
    there = [cell for cell in cells if cell.kind == "coverage" and "coverage" in cell.numbers]
    lines = drop_repeats(cell.interval for cell in there)
    panels = dict(sorted(group_by(there, lambda cell: cell.numbers.get("n", 0)).items()))
    columns = max(min(len(panels), _WRAP), 1)
    rows = -(-len(panels) // columns) or 1
    drawn = sketch(
        10.4 if columns > 1 else 8.4,
        0.7 + 3.0 * rows,
        caption="An interval is valid where its line is on or above the dashed line; far above, it is too cautious. ",
        x="p₁",
        y="coverage",
    )
    axes = drawn.figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for unused in axes.flat[len(panels) :]:
        unused.set_visible(False)
    for here, (trials, mine) in zip(axes.flat, panels.items(), strict=False):
        name = f"{count(trials)} trials"
        here.set_title(name, loc="left", pad=4)
        grid_lines(here)
        by_line = group_by(mine, lambda cell: cell.interval)
        for position, line in enumerate(lines):
            points = curve(
                by_line.get(line, ()), lambda cell: cell.numbers.get("p1"), lambda cell: cell.numbers["coverage"]
            )
            if points:
                draw_line(drawn, here, points, None, line_style(position), name, line, x="p₁ =")
        for nominal in drop_repeats(cell.numbers["nominal"] for cell in mine if "nominal" in cell.numbers):
            here.axhline(nominal, **_NOMINAL)
        here.set_xlabel("p₁")
        if len(positions := sorted({cell.numbers["p1"] for cell in there if "p1" in cell.numbers})) <= _TICKS:
            here.set_xticks(positions, labels=[parameter(position) for position in positions])
    lowest = min((cell.numbers["coverage"] for cell in there), default=0.9)
    axes[0][0].set_ylim(min(0.92, lowest - 0.01), 1.005)
    for row in axes:
        row[0].set_ylabel("coverage")
    handles = [*(line_handle(**line_style(i), ms=4.5) for i in range(len(lines))), line_handle(**_NOMINAL)]
    legend_above(drawn, handles, [*map(shorten, lines), "promised"], columns=5)
    return drawn
