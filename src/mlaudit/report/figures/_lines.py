"""Detected ε over the specified one, a panel for each learner and dataset: what most figures are."""

from collections.abc import Callable, Sequence
from typing import Any

from mlaudit.report.cells import CellView
from mlaudit.report.figures._axes import LogScale
from mlaudit.report.figures._groups import Spread, curve, drop_repeats, group_by
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
from mlaudit.types.numbers import bound, count, measurement

_WIDTH = 10.4
_WRAP = 3
_SHORTEST, _LETTERS = 34, 11.0  # letters of a panel's name: at least, and for an inch of its width
_THEORY = {"color": INK, "alpha": 0.6, "lw": 1.0, "ls": (0, (5, 3))}
_CEILING = {"color": INK, "alpha": 0.6, "lw": 1.0, "ls": (0, (1, 1.6))}
Key = tuple[str, str]


def learner_and_data(cell: CellView) -> Key:
    """The panel that a cell belongs to in most figures."""
    return cell.data, cell.mechanism


def draw_detected_over_specified(
    cells: Sequence[CellView],
    series: Callable[[CellView], str],
    order: Callable[[Sequence[str]], list[str]],
    caption: str,
    panel: Callable[[CellView], Key] = learner_and_data,
) -> Sketch:
    """Log-log, with the line on which a claim is fully used up, and the most that could have been detected."""
    audits = [cell for cell in cells if cell.audited]
    lines = order([series(cell) for cell in audits])
    panels = group_by(audits, panel)
    positions, shape = lay_out_panels(list(panels))
    zeros = " An open marker on the line marked 0: nothing was detected." if _has_zero(audits) else ""
    drawn = sketch(*_size(shape), caption=caption + zeros, x="specified ε", y="detected ε")
    axes = drawn.figure.subplots(*shape, squeeze=False, sharex=True, sharey=True)
    scales = _scales(audits)
    for key, (row, column) in positions.items():
        name = " · ".join(part for part in (key[1], key[0]) if part)
        letters = max(_SHORTEST, int(_LETTERS * _WIDTH / shape[1]))
        axes[row][column].set_title(shorten(name, letters), loc="left", pad=4)
        _draw_panel(drawn, axes[row][column], name, panels[key], lines, series, scales)
    _label_outer_axes(axes, positions, shape)
    handles = [line_handle(**line_style(i), ms=4.5) for i in range(len(lines))]
    handles += [line_handle(**_THEORY), line_handle(**_CEILING)]
    named = [
        *(shorten(line, 44) for line in lines),
        "theory: all of the specified ε",
        "ceiling: most that could be shown",
    ]
    legend_above(drawn, handles, named, columns=3)
    return drawn


def lay_out_panels(keys: Sequence[Key]) -> tuple[dict[Key, tuple[int, int]], tuple[int, int]]:
    """Where each panel goes: datasets down and learners across, or in rows where there is but one of either.

    >>> lay_out_panels([("iris", "nb"), ("adult", "nb"), ("iris", "rf")])[1]
    (2, 2)
    """
    data, learners = drop_repeats(key[0] for key in keys), drop_repeats(key[1] for key in keys)
    if len(data) > 1 and len(learners) > 1:
        return {key: (data.index(key[0]), learners.index(key[1])) for key in keys}, (len(data), len(learners))
    columns = min(len(keys), _WRAP)
    return {key: divmod(i, columns) for i, key in enumerate(keys)}, (-(-len(keys) // columns), columns)


def _size(shape: tuple[int, int]) -> tuple[float, float]:
    rows, columns = shape
    if columns == 1:
        return 8.4, 0.7 + 3.6 * rows
    return _WIDTH, 0.9 + rows * (1.75 if columns > 3 else 2.3 if rows > 1 else 2.9)


def _has_zero(audits: Sequence[CellView]) -> bool:
    return any(cell.detected == 0 for cell in audits)


def _scales(audits: Sequence[CellView]) -> tuple[LogScale, LogScale]:
    xs = [cell.epsilon for cell in audits if cell.epsilon]
    ys = [cell.detected for cell in audits if cell.detected is not None]
    tops = [cell.ceiling for cell in audits if cell.ceiling]
    return LogScale.over(xs), LogScale.over([*ys, *(top for top in tops if top > 0)])


def _draw_panel(
    drawn: Sketch,
    axes: Any,
    name: str,
    cells: Sequence[CellView],
    lines: Sequence[str],
    series: Callable[[CellView], str],
    scales: tuple[LogScale, LogScale],
) -> None:
    grid_lines(axes)
    scales[0].apply(axes, "x")
    scales[1].apply(axes, "y")
    _draw_limits(axes, cells, scales)
    by_line = group_by(cells, series)
    for position, line in enumerate(lines):
        points = curve(by_line.get(line, ()), lambda cell: cell.epsilon, lambda cell: cell.detected)
        if points:
            draw_line(drawn, axes, points, scales[1], line_style(position), name, line)


def draw_line(
    drawn: Sketch,
    axes: Any,
    points: Sequence[tuple[float, Spread]],
    scale: LogScale | None,
    style: dict[str, Any],
    panel: str,
    line: str,
    x: str = "specified ε",
    across: LogScale | None = None,
) -> None:
    """Means with their range as a thin bar, joined; what is 0 as an open marker.

    `scale` and `across` say where values are put; without them they are where they are.
    """

    def spot(at: float, value: float) -> tuple[float, float]:
        return at if across is None else across.position(at), value if scale is None else scale.position(value)

    colour = style["color"]
    middle, low, high = ([spot(at, s[i]) for at, s in points] for i in range(3))
    axes.plot([at for at, _ in middle], [value for _, value in middle], color=colour, lw=1.3, zorder=3)
    ends = [value for _, value in low], [value for _, value in high]
    axes.vlines([at for at, _ in middle], *ends, color=colour, lw=0.9, zorder=3)
    for shown in (True, False):
        chosen = [(at, s) for at, s in points if (scale is None or scale.shows(s[0])) is shown]
        face = colour if shown else "none"
        says = [hover_text(panel, line, f"{x} {measurement(at)}", s) for at, s in chosen]
        drawn.mark(axes, [spot(at, s[0]) for at, s in chosen], says, mfc=face, mec=colour, **style)
    drawn.points += [Point(panel, line, at, *s) for at, s in points]


def hover_text(panel: str, line: str, where: str, found: Spread, what: str = "detected") -> str:
    """What a mark says when pointed at."""
    mean, low, high, cells = found
    said, least, most = (bound(v, None) if what == "detected" else measurement(v) for v in (mean, low, high))
    among = f" (mean of {count(cells)}, from {least} to {most})" if cells > 1 else ""
    return f"{panel}\n{line}\n{where}, {what} {said}{among}"


def _draw_limits(axes: Any, cells: Sequence[CellView], scales: tuple[LogScale, LogScale]) -> None:
    """Y = x as far as the ceiling goes, and the ceiling itself: it depends on the rows that were changed."""
    tops = [(at, s[2]) for at, s in curve(cells, lambda cell: cell.epsilon, lambda cell: cell.ceiling)]
    highest = max((top for _, top in tops), default=scales[1].high)
    low, high = max(scales[0].low, scales[1].zero or scales[1].low), min(scales[0].high, highest)
    if low < high:
        axes.plot([low, high], [low, high], **_THEORY, zorder=2)
    axes.plot([at for at, _ in tops], [top for _, top in tops], **_CEILING, zorder=2)


def _label_outer_axes(axes: Any, positions: dict[Key, tuple[int, int]], shape: tuple[int, int]) -> None:
    taken = set(positions.values())
    for row in range(shape[0]):
        for column in range(shape[1]):
            if (row, column) not in taken:
                axes[row][column].set_visible(False)
                continue
            lowest = (row + 1, column) not in taken
            axes[row][column].tick_params(labelbottom=lowest, labelleft=column == 0)
            axes[row][column].set_xlabel("specified ε" if lowest else "")
            axes[row][column].set_ylabel("detected ε" if column == 0 else "")
