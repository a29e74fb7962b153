"""Rows of a typed table with another category, truth value or text in one column; an unseen text comes first."""

from collections.abc import Iterator

import numpy as np

from mlaudit.search.move import Move, Setting
from mlaudit.search.region import labels_of
from mlaudit.search.rows import Point, move_to_points
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset

_MOST = 8  # values of a column: the rarest of D


def other_values(setting: Setting) -> Iterator[Move]:
    """The first row with each of the rarest values of D in one column, in turn for all such columns."""
    data = setting.data
    if isinstance(data.domain, Columns):
        yield from move_to_points(setting, _points(data, data.domain))


def _points(data: Dataset, domain: Columns) -> Iterator[Point]:
    codes = [_rarest(data, domain, at) for at in range(len(domain.columns))]
    for turn in range(max(map(len, codes))):
        for at, column in enumerate(domain.columns):
            if turn < len(codes[at]):
                point = data.X[0].copy()
                point[at] = codes[at][turn]
                [value] = column.decode(point[at : at + 1]).tolist()
                yield from ((f"{column.name} {value!r}", point, label) for label in labels_of(data))


def _rarest(data: Dataset, domain: Columns, at: int) -> list[float]:
    """The codes of a column that the fewest rows have; of equally rare ones the last: the unseen text is the last."""
    if not domain.columns[at].whole or hasattr(domain.columns[at], "low"):
        return []
    codes = np.arange(domain.high[at], -1.0, -1.0)
    counts = (data.X[:, at][None, :] == codes[:, None]).sum(axis=1)
    return [float(code) for code in codes[np.argsort(counts, kind="stable")][:_MOST]]
