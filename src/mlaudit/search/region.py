"""The constraint set C of a search: the declared domain, or the smallest box around D if none is declared."""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from mlaudit.types.arrays import FloatArray
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset, are_predicted
from mlaudit.types.domain import Box, Domain, Label
from mlaudit.types.rounding import round_computed

_FAR = 1e6  # further than any ball reaches: projected, it is an extreme row


def region_of(data: Dataset) -> Domain:
    """D's domain, or the smallest box around it.

    >>> region_of(Dataset([[0.0], [2.0]])).project(np.array([[9.0]]))
    array([[2.]])
    """
    return Box.enclosing(data.X) if data.domain is None else data.domain


def extreme_rows(data: Dataset) -> tuple[FloatArray, FloatArray]:
    """Two opposite extreme rows of D's region; see `region_ends`."""
    return region_ends(region_of(data), data.X.shape[1])


def region_ends(region: Domain, columns: int) -> tuple[FloatArray, FloatArray]:
    """Two opposite extreme rows: the corners of a box, or the two ends of a ball's diagonal.

    >>> [row.tolist() for row in region_ends(Box([0.0], [2.0]), 2)]
    [[0.0, 0.0], [2.0, 2.0]]
    """
    if isinstance(region, Box):
        return np.array(np.broadcast_to(region.low, columns)), np.array(np.broadcast_to(region.high, columns))
    far = np.full((1, columns), _FAR)
    return region.project(-far)[0], region.project(far)[0]


def fill_point(data: Dataset, x: FloatArray) -> FloatArray:
    """The point with a number in place of each missing value, as in `data.finite`."""
    return data.domain.fill(x) if isinstance(data.domain, Columns) else x


def move_inside(data: Dataset, x: FloatArray) -> FloatArray:
    """Project x onto D's region and round it, so that it is the same on every machine."""
    return round_computed(np.asarray(region_of(data).project(np.asarray(x, dtype=float)[None, :])[0]), data)


def labels_of(data: Dataset) -> tuple[Label | None, ...]:
    """Every label that a row may get: the declared ones, else D's classes, else the extremes of numbers to predict.

    >>> labels_of(Dataset([0.0, 1.0])), labels_of(Dataset([0.0, 1.0], y=[3, 1]))
    ((None,), (1, 3))
    >>> labels_of(Dataset(np.arange(99.0), y=np.arange(99.0)))
    (0.0, 98.0)
    """
    if data.y is None:
        return (None,)
    if data.domain is not None and data.domain.labels is not None:
        return tuple(data.domain.labels)
    found = np.unique(data.y)
    return (found[0].item(), found[-1].item()) if are_predicted(data) else tuple(found.tolist())


def draw_rows(data: Dataset, rng: Generator) -> Iterator[FloatArray]:
    """Draw uniform rows of a box; elsewhere random directions, at random distances, as far as the domain goes."""
    low, high = extreme_rows(data)
    if isinstance(region_of(data), Box):
        while True:
            yield np.asarray(rng.uniform(low, high))
    while True:
        direction = rng.normal(size=len(low))
        direction /= np.linalg.norm(direction)
        yield move_inside(data, direction * float(np.linalg.norm(high)) * rng.uniform() ** (1 / len(low)))
