"""Names of points above a panel, spread so that none covers another."""

from collections.abc import Sequence
from math import log10
from typing import Any

from mlaudit.report.figures._groups import spread_positions
from mlaudit.report.figures._sketch import INK, shorten

_TALL = 9.0  # points that a slanted line of text takes


def write_names_above(
    axes: Any, xs: Sequence[float], names: Sequence[str], width: float, *, log: bool = True
) -> None:
    """Write each name over its x, slanted, with a thin line to it; `width` is the panel's, in inches."""
    low, high = axes.get_xlim()
    scale = (
        (lambda x: (log10(x) - log10(low)) / (log10(high) - log10(low)))
        if log
        else (lambda x: (x - low) / (high - low))
    )
    positions = [scale(x) for x in xs]
    for position, spot, name in zip(
        positions, spread_positions(positions, _TALL * 1.5 / 72 / width), names, strict=True
    ):
        axes.annotate(
            shorten(name, 22),
            xy=(position, 1.0),
            xytext=(spot, 1.05),
            xycoords="axes fraction",
            textcoords="axes fraction",
            rotation=40,
            rotation_mode="anchor",
            ha="left",
            va="bottom",
            fontsize=8,
            arrowprops={
                "arrowstyle": "-",
                "color": INK,
                "alpha": 0.4,
                "lw": 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0, 0),
            },
        )
        axes.axvline(xs[positions.index(position)], color=INK, alpha=0.12, lw=0.6, zorder=1)
