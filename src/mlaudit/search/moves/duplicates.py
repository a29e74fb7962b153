"""Rows that become, or are added as, copies of rows there are: one and the same row, many times."""

from collections.abc import Iterator

import numpy as np

from mlaudit.search.move import Move, Setting
from mlaudit.search.rows import move_to_points


def duplicates(setting: Setting) -> Iterator[Move]:
    """Copies of the first row, the most central, the last, and the rarest class's."""
    data = setting.data
    central = int(np.abs(data.finite - np.median(data.finite, axis=0)).sum(axis=1).argmin())
    rows = {"first": 0, "most central": central, "last": len(data) - 1}
    if data.y is not None:
        values, counts = np.unique(data.y, return_counts=True)
        rows["rarest"] = int(np.flatnonzero(data.y == values[counts.argmin()])[0])
    labels = [None] * len(data) if data.y is None else data.y.tolist()
    yield from move_to_points(
        setting, ((f"a copy of the {name} row", data.X[at], labels[at]) for name, at in rows.items())
    )
