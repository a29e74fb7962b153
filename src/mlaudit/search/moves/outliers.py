"""Rows as far from all others as the domain allows, seen from the data's mean."""

from collections.abc import Iterator

import numpy as np

from mlaudit.attacks._directions import principal_directions
from mlaudit.search.move import Move, Setting
from mlaudit.search.region import extreme_rows, labels_of, move_inside, region_of
from mlaudit.search.rows import Point, move_to_points
from mlaudit.types.arrays import FloatArray
from mlaudit.types.domain import Box

_DIRECTIONS = 3


def outliers(setting: Setting) -> Iterator[Move]:
    """The row farthest from each class, then the ends of the directions in which rows vary most and least."""
    yield from move_to_points(
        setting, (point for points in (_of_classes, _of_directions) for point in points(setting))
    )


def _of_classes(setting: Setting) -> Iterator[Point]:
    data = setting.data
    for label in labels_of(data):
        mine = data.finite if data.y is None or label not in data.y else data.finite[data.y == label]
        yield "as far as can be from its class", _far_point(setting, mine), label


def _of_directions(setting: Setting) -> Iterator[Point]:
    data, mean = setting.data, setting.data.finite.mean(axis=0)
    axes = principal_directions(data.finite)
    reach = float(np.linalg.norm(np.subtract(*extreme_rows(data))))
    for at in sorted({*range(min(_DIRECTIONS, len(axes))), len(axes) - 1}):
        for end, sign in (("+", 1.0), ("−", -1.0)):
            for label in labels_of(data):
                yield f"direction {at + 1} to its {end} end", mean + sign * reach * axes[at], label


def _far_point(setting: Setting, rows: FloatArray) -> FloatArray:
    data, mean = setting.data, rows.mean(axis=0)
    low, high = extreme_rows(data)
    if isinstance(region_of(data), Box):
        return np.where(mean - low > high - mean, low, high)
    return move_inside(data, -mean * 1e6 if mean.any() else high)
