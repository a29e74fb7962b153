"""Non-sphericity against influence: where ClipBKD's direction is worth something, and what ours adds."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._axes import LogScale
from mlaudit.report.figures._groups import drop_repeats, group_by, spread
from mlaudit.report.figures._lines import hover_text
from mlaudit.report.figures._names import write_names_above
from mlaudit.report.figures._sketch import (
    INK,
    Point,
    Sketch,
    grid_lines,
    legend_above,
    line_handle,
    line_style,
    shorten,
    sketch,
)
from mlaudit.types.numbers import measurement
from mlaudit.types.row import Study

_WIDTH = 8.4


def sphericity(cells: Sequence[CellView], study: Study) -> Sketch:
    """A panel for each learner, both axes logarithmic; needs rows of influence for two attacks or more."""
    there = [cell for cell in cells if cell.kind == "influence" and _is_complete(cell)]
    lines = sorted(drop_repeats(cell.series for cell in there), key=lambda name: name != "ours")
    panels = group_by(there, lambda cell: cell.mechanism)
    drawn = sketch(
        _WIDTH,
        0.9 + 3.9 * max(len(panels), 1),
        caption="Non-sphericity is the largest over the smallest singular value of the data. Points of one dataset "
        "stand on one thin line; the higher one moves the model more.",
        x="non-sphericity",
        y="influence of the attack's point, ‖I(x*)‖",
    )
    axes = drawn.figure.subplots(max(len(panels), 1), 1, squeeze=False)
    across = LogScale.over([cell.numbers["non_sphericity"] for cell in there], 1e-300)
    up = LogScale.over([cell.numbers["influence"] for cell in there], 1e-300)
    for here, (learner, mine) in zip(axes.flat, panels.items(), strict=False):
        grid_lines(here)
        here.grid(visible=False, axis="x")
        across.apply(here, "x")
        up.apply(here, "y")
        for position, line in enumerate(lines):
            by_data = group_by([cell for cell in mine if cell.series == line], lambda cell: cell.data)
            found = {
                data: (
                    spread([c.numbers["non_sphericity"] for c in same]),
                    spread([c.numbers["influence"] for c in same]),
                )
                for data, same in by_data.items()
            }
            says = [
                hover_text(f"{learner} · {d}", line, f"non-sphericity {measurement(x[0])}", y, "influence")
                for d, (x, y) in found.items()
            ]
            style = line_style(position)
            drawn.mark(here, [(x[0], y[0]) for x, y in found.values()], says, mec=style["color"], **style | {"ms": 6})
            drawn.points += [Point(f"{learner} · {d}", line, x[0], *y) for d, (x, y) in found.items()]
        first = {cell.data: cell.numbers["non_sphericity"] for cell in reversed(mine)}
        write_names_above(here, list(first.values()), list(first), _WIDTH - 0.9)
        here.set(ylabel="influence ‖I(x*)‖", xlabel=f"non-sphericity of the data ({shorten(learner)})")
    handles = [line_handle(**line_style(i), ms=6, ls="") for i in range(len(lines))]
    handles.append(line_handle(color=INK, alpha=0.3, lw=0.6))
    legend_above(drawn, handles, [*map(shorten, lines), "one dataset"], columns=4)
    return drawn


def _is_complete(cell: CellView) -> bool:
    return cell.numbers.get("non_sphericity", 0) > 0 and cell.numbers.get("influence", 0) > 0
