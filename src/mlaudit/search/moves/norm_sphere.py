"""Rows on the sphere that bounds the domain: along the data's own directions, its axes, and at random."""

from collections.abc import Iterator

import numpy as np

from mlaudit.attacks._directions import principal_directions
from mlaudit.search.move import Move, Setting
from mlaudit.search.region import labels_of, region_of
from mlaudit.search.rows import move_to_points
from mlaudit.types.arrays import FloatArray
from mlaudit.types.domain import L2Ball

_AXES = 8
_RANDOM = 16


def norm_sphere(setting: Setting) -> Iterator[Move]:
    """Points of full norm, with every label."""
    region = region_of(setting.data)
    if not isinstance(region, L2Ball):
        return
    labels, radius = labels_of(setting.data), region.radius
    yield from move_to_points(
        setting, ((name, x * radius, label) for name, x in _directions(setting) for label in labels)
    )


def _directions(setting: Setting) -> Iterator[tuple[str, FloatArray]]:
    X = setting.data.X
    d, mean = X.shape[1], X.mean(axis=0)
    length = float(np.linalg.norm(mean))
    own = mean / length if length > 0 else np.full(d, d**-0.5)
    yield from _both_ways("the mean row's direction", own)
    yield from _both_ways("the diagonal", np.full(d, d**-0.5))
    axes = principal_directions(X)
    yield from _both_ways("the direction of least variance", axes[-1])
    yield from _both_ways("the direction of most variance", axes[0])
    for column in range(min(d, _AXES) if d > 1 else 0):
        yield from _both_ways(f"column {column}'s axis", np.eye(d)[column])
    for at in range(_RANDOM if d > 1 else 0):
        direction = setting.rng.normal(size=d)
        yield f"random direction {at}", np.asarray(direction / np.linalg.norm(direction))


def _both_ways(name: str, direction: FloatArray) -> Iterator[tuple[str, FloatArray]]:
    yield f"{name} at full norm", direction
    yield f"against {name} at full norm", -direction
