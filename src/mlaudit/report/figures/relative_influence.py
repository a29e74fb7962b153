"""Relative influence against the largest detected ε: data whose rows stand out are easier to attack."""

from collections.abc import Iterator, Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._axes import LogScale
from mlaudit.report.figures._groups import drop_repeats, group_by
from mlaudit.report.figures._lines import hover_text
from mlaudit.report.figures._names import write_names_above
from mlaudit.report.figures._sketch import INK, Point, Sketch, grid_lines, line_style, shorten, sketch
from mlaudit.types.numbers import measurement
from mlaudit.types.row import Study

_WIDTH = 8.4
Where = tuple[str, str, str, float, float, int]  # learner, data, line, relative influence, detected, audits


def relative_influence(cells: Sequence[CellView], study: Study) -> Sketch:
    """A panel for each learner; needs rows of influence, and audits of the same learners and data."""
    found = list(_join_influence_and_bounds(cells))
    panels = group_by(found, lambda where: where[0])
    lines = drop_repeats(where[2] for where in found)
    drawn = sketch(
        _WIDTH,
        0.8 + 3.6 * max(len(panels), 1),
        caption="Relative influence is that of the attack's point over the mean of the data's own rows. The dashed "
        "line is the claimed ε; only audits of the ε that most rows claim are shown.",
        x="relative influence",
        y="largest detected ε",
    )
    axes = drawn.figure.subplots(max(len(panels), 1), 1, squeeze=False)
    across = LogScale.over([where[3] for where in found], 1e-300)
    claimed = _most_frequent_claim(cells)
    for here, (learner, mine) in zip(axes.flat, panels.items(), strict=False):
        grid_lines(here)
        here.grid(visible=False, axis="x")
        across.apply(here, "x")
        for position, line in enumerate(lines):
            same = [where for where in mine if where[2] == line]
            says = [
                hover_text(
                    f"{w[0]} · {w[1]}",
                    line,
                    f"relative influence {measurement(w[3])}",
                    (w[4], w[4], w[4], 1),
                    "largest detected",
                )
                for w in same
            ]
            style = line_style(position)
            drawn.mark(here, [(w[3], w[4]) for w in same], says, mec=style["color"], **style | {"ms": 6})
            drawn.points += [Point(f"{w[0]} · {w[1]}", line, w[3], w[4], w[4], w[4], w[5]) for w in same]
        if claimed:
            here.axhline(claimed, color=INK, alpha=0.6, lw=1.0, ls=(0, (5, 3)))
        top = max([claimed or 0.0, *(where[4] for where in mine)])
        here.set_ylim(0, 1.12 * top or 1.0)
        write_names_above(
            here, [where[3] for where in mine], [_name(where, len(lines)) for where in mine], _WIDTH - 0.9
        )
        here.set(ylabel="largest detected ε", xlabel=f"relative influence ({shorten(learner)})")
    return drawn


def _name(where: Where, lines: int) -> str:
    return where[1] if lines == 1 else f"{where[1]}, {where[2]}"


def _most_frequent_claim(cells: Sequence[CellView]) -> float | None:
    """The ε that most audits claim: 1 in the paper."""
    there = [cell.epsilon for cell in cells if cell.audited and cell.epsilon]
    return max(drop_repeats(there), key=lambda one: (there.count(one), -abs(one - 1)), default=None)


def _join_influence_and_bounds(cells: Sequence[CellView]) -> Iterator[Where]:
    """Each influence with the largest ε detected by the same attack, or by any where that attack was not audited."""
    claimed = _most_frequent_claim(cells)
    audits = [cell for cell in cells if cell.audited and cell.epsilon == claimed]
    by_data = group_by(audits, lambda cell: (cell.mechanism, cell.data))
    for cell in cells:
        if cell.kind != "influence" or cell.error or cell.numbers.get("relative", 0) <= 0:
            continue
        same = by_data.get((cell.mechanism, cell.data), [])
        chosen = [audit for audit in same if audit.series == cell.series] or same
        if chosen:
            most = max(audit.detected or 0.0 for audit in chosen)
            yield cell.mechanism, cell.data, cell.series, cell.numbers["relative"], most, len(chosen)
