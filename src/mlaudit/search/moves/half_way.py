"""Rows half-way between two whole numbers: rounding rules differ there, and nowhere else."""

from collections.abc import Iterator

import numpy as np

from mlaudit.search.move import Move, Setting
from mlaudit.search.region import extreme_rows, labels_of, move_inside
from mlaudit.search.rows import move_to_points
from mlaudit.types.arrays import FloatArray


def half_way(setting: Setting) -> Iterator[Move]:
    """The two such numbers next to the middle of each column, in all columns: one is rounded up, the other down."""
    data = setting.data
    points = [(name, move_inside(data, x)) for name, x in _points(*extreme_rows(data))]
    legal = [(name, x) for name, x in points if (x % 1.0 == 0.5).any()]  # a narrow domain may hold none
    yield from move_to_points(setting, ((name, x, label) for name, x in legal for label in labels_of(data)))


def _points(low: FloatArray, high: FloatArray) -> Iterator[tuple[str, FloatArray]]:
    middle = np.floor((low + high) / 2)
    yield "half-way above the middle", middle + 0.5
    yield "half-way below the middle", middle - 0.5
