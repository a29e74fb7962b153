"""Move the row at the corner nearest its class to the farthest corner, keeping its label: moves a mean alone."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.attacks._rows import find_classes, nearest_of_class, poison_rows
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class MeanCorner:
    """For Naive Bayes, as an ablation of prior_flip: means and variances move, priors do not."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows of one class at the corner opposite to it."""
        y, _ = find_classes(data, "mean_corner")
        distance, corners = np.empty(len(data)), np.empty_like(data.X)
        for label in np.unique(y):
            near = _nearest_corner(data, data.finite[y == label].mean(axis=0))
            distance[y == label] = np.linalg.norm(data.finite[y == label] - near, axis=1)
            corners[y == label] = near
        order = nearest_of_class(distance, y)
        return poison_rows(data, order, rows, _opposite(data, corners[order[0]]), y[order[0]])


def _box(data: Dataset) -> Box:
    return data.domain if isinstance(data.domain, Box) else Box.enclosing(data.finite)


def _nearest_corner(data: Dataset, mean: FloatArray) -> FloatArray:
    box = _box(data)
    return np.where(mean - box.low < box.high - mean, box.low, box.high)


def _opposite(data: Dataset, corner: FloatArray) -> FloatArray:
    box = _box(data)
    return np.where(corner == box.low, box.high, box.low)
