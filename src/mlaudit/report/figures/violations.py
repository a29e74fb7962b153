"""Violations: a bar for what was detected, beside a mark for what was claimed."""

from collections.abc import Sequence

from mlaudit.report.cells import CellView
from mlaudit.report.figures._groups import Spread, group_by, spread
from mlaudit.report.figures._sketch import INK, PALETTE, Point, Sketch, legend_above, line_handle, shorten, sketch
from mlaudit.types.numbers import bound, parameter
from mlaudit.types.row import Study

_MOST = 40
_ABOVE, _WITHIN = PALETTE[1], PALETTE[0]


def violations(cells: Sequence[CellView], study: Study) -> Sketch:
    """Detected against claimed ε, a bar for each kind of cell; needs audits."""
    bars = group_by([cell for cell in cells if cell.audited], _name)
    found = {name: spread([cell.detected or 0.0 for cell in same]) for name, same in bars.items()}
    left_out = len(bars) - _MOST
    if left_out > 0:  # those that are furthest above their claim
        ranked = sorted(bars, key=lambda name: found[name][0] - (bars[name][0].epsilon or 0.0), reverse=True)[:_MOST]
        bars = {name: same for name, same in bars.items() if name in ranked}
    more = f" Only the {_MOST} furthest above their claim are drawn; the CSV has all." if left_out > 0 else ""
    drawn = sketch(
        9.6,
        1.1 + 0.46 * max(len(bars), 1),
        caption="A bar that reaches beyond its black mark is more than was claimed. Means over replicates, with "
        f"their range as a thin line.{more}",
        x="claimed ε",
        y="detected ε",
    )
    axes = drawn.figure.subplots()
    furthest = max(
        [*(found[name][2] for name in bars), *(same[0].epsilon or 0 for same in bars.values())], default=1.0
    )
    for position, (name, same) in enumerate(bars.items()):
        _draw_bar(drawn, axes, position, name, same[0], found[name], furthest)
    axes.set_yticks(range(len(bars)), labels=[_two_line_name(same[0]) for same in bars.values()])
    axes.set(xlabel="ε", xlim=(0, 1.12 * furthest or 1.0), ylim=(len(bars) - 0.4, -0.6))
    axes.grid(visible=True, axis="x", color=INK, alpha=0.12, lw=0.6)
    axes.tick_params(axis="y", length=0)
    wide = {"lw": 7, "solid_capstyle": "butt"}
    handles = [line_handle(color=_ABOVE, **wide), line_handle(color=_WITHIN, **wide)]
    handles.append(line_handle(color=INK, marker="|", ms=11, mew=2.2, ls=""))
    legend_above(drawn, handles, ["detected, above the claim", "detected, within the claim", "claimed"], columns=3)
    return drawn


def _draw_bar(
    drawn: Sketch, axes: object, position: int, name: str, cell: CellView, found: Spread, furthest: float
) -> None:
    mean, low, high, cells = found
    claimed = cell.epsilon or 0.0
    above = mean > claimed
    axes.barh(position, mean, height=0.5, color=_ABOVE if above else _WITHIN)  # type: ignore[attr-defined]
    axes.hlines(position, low, high, color=INK, lw=0.9)  # type: ignore[attr-defined]
    axes.text(max(high, claimed) + 0.015 * furthest, position, bound(mean, claimed), va="center", fontsize=8)  # type: ignore[attr-defined]
    says = f"{name}\nclaimed {parameter(claimed)}, detected {bound(mean, claimed)}"
    says += f" (mean of {cells}, from {bound(low, claimed)} to {bound(high, claimed)})" if cells > 1 else ""
    drawn.mark(axes, [(claimed, position)], [says], marker="|", ms=13, mew=2.2, color=INK)
    drawn.points.append(Point(name, "above" if above else "within", claimed, mean, low, high, cells))


def _name(cell: CellView) -> str:
    said = [cell.mechanism, cell.data, cell.label or cell.attack_shown]
    claim = f"ε = {parameter(cell.epsilon)}" + (f", δ = {parameter(cell.delta)}" if cell.delta else "")
    how = [part for part in (cell.relation, cell.change if cell.change != "replace" else "") if part]
    return " · ".join([part for part in said if part] + [claim, *how])


def _two_line_name(cell: CellView) -> str:
    """What is audited above, and what was done to it below."""
    first = " · ".join(shorten(part, 30) for part in (cell.mechanism, cell.data) if part)
    change = cell.change if cell.change != "replace" else ""
    second = [shorten(cell.label or cell.attack_shown, 40), cell.relation, change]
    return f"{first}\n{' · '.join(part for part in second if part)}"
