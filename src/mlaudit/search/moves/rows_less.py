"""Rows left out: the first, the middle, the last, the most extreme, the most central, the rarest."""

from collections.abc import Iterator

import numpy as np

from mlaudit.attacks._rows import corner_distance
from mlaudit.search.move import Move, Setting
from mlaudit.search.rows import move_by_removal, sort_by_unit


def rows_less(setting: Setting) -> Iterator[Move]:
    """D without rows, in several orders."""
    data, n = setting.data, len(setting.data)
    distance = np.abs(data.finite - np.median(data.finite, axis=0)).sum(axis=1)
    if data.units is not None:
        yield from move_by_removal(setting, "the largest unit less", sort_by_unit(data))
    yield from move_by_removal(setting, "the first row less", np.arange(n))
    yield from move_by_removal(setting, "the last row less", np.arange(n)[::-1])
    yield from move_by_removal(setting, "the middle row less", np.roll(np.arange(n), -(n // 2)))
    yield from move_by_removal(setting, "the loneliest row less", np.argsort(-distance, kind="stable"))
    yield from move_by_removal(
        setting, "the most extreme row less", np.argsort(corner_distance(data.finite), kind="stable")
    )
    yield from move_by_removal(setting, "the most central row less", np.argsort(distance, kind="stable"))
    if data.y is not None:
        for label in np.unique(data.y).tolist():
            order = np.argsort(data.y != label, kind="stable")
            yield from move_by_removal(setting, f"the first row of {label!r} less", order)
