"""Detected ε against δ: the more δ is given away for free, the less ε is left to show."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._axes import LogScale
from mlaudit.report.figures._groups import Spread, curve, drop_repeats, group_by
from mlaudit.report.figures._lines import draw_line, lay_out_panels
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
from mlaudit.types.numbers import parameter
from mlaudit.types.row import Study

_CLAIM = {"color": INK, "alpha": 0.6, "lw": 1.0, "ls": (0, (5, 3))}


def delta(cells: Sequence[CellView], study: Study) -> Sketch:
    """δ on a logarithmic axis, a panel for each learner and dataset; needs audits at several δ."""
    audits = [cell for cell in cells if cell.audited]
    lines = drop_repeats(_line(cell) for cell in audits)
    panels = group_by(audits, lambda cell: (cell.data, cell.mechanism))
    positions, shape = lay_out_panels(list(panels))
    scale = LogScale.over([cell.delta for cell in audits], least=1e-300)
    drawn = sketch(
        8.4 if shape[1] == 1 else 10.4,
        0.7 + 3.2 * shape[0],
        caption="The lower bound on ε at each δ of the claim. Means over replicates, with their range as a thin bar.",
        x="δ",
        y="detected ε",
    )
    axes = drawn.figure.subplots(*shape, squeeze=False, sharex=True)
    for panel in axes.flat[len(positions) :] if len(positions) < axes.size else ():
        panel.set_visible(False)
    for key, (row, column) in positions.items():
        here, name = axes[row][column], " · ".join(part for part in reversed(key) if part)
        here.set_visible(True)
        here.set_title(shorten(name, 40), loc="left", pad=4)
        grid_lines(here)
        scale.apply(here, "x")
        by_line = group_by(panels[key], _line)
        for position, line in enumerate(lines):
            points: list[tuple[float, Spread]] = curve(
                by_line.get(line, ()), lambda cell: cell.delta, lambda cell: cell.detected
            )
            if points:
                draw_line(drawn, here, points, None, line_style(position), name, line, x="δ", across=scale)
        for claimed in drop_repeats(cell.epsilon for cell in panels[key] if cell.epsilon):
            here.axhline(claimed, **_CLAIM)
        here.set_ylim(bottom=0)
        here.set(xlabel="δ", ylabel="detected ε")
    handles = [*(line_handle(**line_style(i), ms=4.5) for i in range(len(lines))), line_handle(**_CLAIM)]
    legend_above(drawn, handles, [*map(shorten, lines), "claimed ε"], columns=4 if shape[1] > 1 else 3)
    return drawn


def _line(cell: CellView) -> str:
    return cell.label or f"{cell.series}, ε = {parameter(cell.epsilon)}"
