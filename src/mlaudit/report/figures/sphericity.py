"""Non-sphericity against influence: where ClipBKD's direction is worth something, and what ours adds."""

from collections.abc import Sequence

from mlaudit.report.cells import Cell
from mlaudit.report.figures._axes import LogScale
from mlaudit.report.figures._groups import distinct, grouped, spread
from mlaudit.report.figures._lines import hover
from mlaudit.report.figures._names import names_above
from mlaudit.report.figures._sketch import (
    INK,
    Point,
    Sketch,
    grid_lines,
    legend_above,
    line_handle,
    look,
    shortened,
    sketch,
)
from mlaudit.types.row import Study

_WIDTH = 8.4


def sphericity(cells: Sequence[Cell], study: Study) -> Sketch:
    """A panel for each learner, both axes logarithmic; needs rows of influence for two attacks or more."""
    there = [cell for cell in cells if cell.kind == "influence" and _whole(cell)]
    lines = sorted(distinct(cell.series for cell in there), key=lambda name: name != "ours")
    panels = grouped(there, lambda cell: cell.mechanism)
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
        for place, line in enumerate(lines):
            by_data = grouped([cell for cell in mine if cell.series == line], lambda cell: cell.data)
            found = {
                data: (
                    spread([c.numbers["non_sphericity"] for c in same]),
                    spread([c.numbers["influence"] for c in same]),
                )
                for data, same in by_data.items()
            }
            says = [
                hover(f"{learner} · {d}", line, f"non-sphericity {x[0]:.4g}", y, "influence")
                for d, (x, y) in found.items()
            ]
            style = look(place)
            drawn.mark(here, [(x[0], y[0]) for x, y in found.values()], says, mec=style["color"], **style | {"ms": 6})
            drawn.points += [Point(f"{learner} · {d}", line, x[0], *y) for d, (x, y) in found.items()]
        first = {cell.data: cell.numbers["non_sphericity"] for cell in reversed(mine)}
        names_above(here, list(first.values()), list(first), _WIDTH - 0.9)
        here.set(ylabel="influence ‖I(x*)‖", xlabel=f"non-sphericity of the data ({shortened(learner)})")
    handles = [line_handle(**look(i), ms=6, ls="") for i in range(len(lines))]
    handles.append(line_handle(color=INK, alpha=0.3, lw=0.6))
    legend_above(drawn, handles, [*map(shortened, lines), "one dataset"], columns=4)
    return drawn


def _whole(cell: Cell) -> bool:
    return cell.numbers.get("non_sphericity", 0) > 0 and cell.numbers.get("influence", 0) > 0
