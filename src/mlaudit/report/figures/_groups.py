"""Cells gathered into panels, lines and points."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, TypeVar

from mlaudit.report.cells import CellView

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")
Spread = tuple[float, float, float, int]  # mean, least, most, how many


def group_by(things: Iterable[Thing], key: Callable[[Thing], Key]) -> dict[Key, list[Thing]]:
    """Things by a key, in the order of first appearance.

    >>> group_by([1, 2, 3], lambda n: n % 2)
    {1: [1, 3], 0: [2]}
    """
    found: dict[Key, list[Thing]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return found


def drop_repeats(values: Iterable[Key]) -> list[Key]:
    """Each value once, in the order of first appearance."""
    return list(dict.fromkeys(values))


def spread(values: Sequence[float]) -> Spread:
    """Mean and range.

    >>> spread([1.0, 2.0, 3.0])
    (2.0, 1.0, 3.0, 3)
    """
    return fmean(values), min(values), max(values), len(values)


def curve(
    cells: Iterable[CellView], x: Callable[[CellView], Any], y: Callable[[CellView], Any]
) -> list[tuple[float, Spread]]:
    """Mean and range of y at every x, in the order of x; cells without either are left out."""
    there = [(x(cell), y(cell)) for cell in cells]
    by_x = group_by([pair for pair in there if None not in pair], lambda pair: pair[0])
    return [(at, spread([value for _, value in pairs])) for at, pairs in sorted(by_x.items())]


def sort_ours_first(names: Iterable[str]) -> list[str]:
    """The names of lines, ours before all others."""
    return sorted(drop_repeats(names), key=lambda name: name != "ours")


def spread_positions(positions: Sequence[float], gap: float, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Places moved as little as it takes to be `gap` apart, within [low, high]; in the order given.

    >>> [round(p, 2) for p in spread_positions([0.5, 0.5, 0.9], 0.2)]
    [0.4, 0.6, 0.9]
    """
    gap = min(gap, (high - low) / max(len(positions) - 1, 1))
    order = sorted(range(len(positions)), key=lambda i: (positions[i], i))
    moved = [float(position) for position in positions]
    for _ in range(200):
        for first, second in pairwise(order):
            short = gap - (moved[second] - moved[first])
            if short > 1e-9:
                moved[first] -= short / 2
                moved[second] += short / 2
        for rank, i in enumerate(order):
            moved[i] = min(max(moved[i], low + rank * gap), high - (len(order) - 1 - rank) * gap)
    return moved
