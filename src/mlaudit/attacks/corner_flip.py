"""Put rows of one class into the other's worst corner: moves priors, means and variances most, per unit of noise."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.attacks._rows import find_classes, poison_rows
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Label
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class CornerFlip:
    """For Naive Bayes, beyond the paper: prior_flip and mean_corner in one.

    Such a learner adds noise to each class's sums: of x, in proportion to the width of the box, and of squared
    deviations. A row that joins a class shifts both by its own value. So the rows that leave are those that shift
    their class's noisy sums most, and the corner they go to, as another class, is what shifts its sums most.
    """

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows of one class in a corner of the other."""
        y, classes = find_classes(data, "corner_flip")
        box = data.domain if isinstance(data.domain, Box) else Box.enclosing(data.finite)
        corners = {label: _corner(box, data.finite[y == label].mean(axis=0)) for label in classes}

        def total(flip: tuple[Label, Label]) -> float:
            gains, loses = flip
            own, others = data.finite[y == gains].mean(axis=0), data.finite[y == loses]
            leaving = _shift(box, others, others.mean(axis=0)).sum(axis=1).max()
            return float(leaving + _shift(box, corners[gains], own).sum())

        gains, loses = max(((to, of) for to in classes for of in classes if to != of), key=total)
        losers = np.flatnonzero(y == loses)
        shift = _shift(box, data.finite[losers], data.finite[losers].mean(axis=0)).sum(axis=1)
        return poison_rows(data, losers[np.argsort(-shift, kind="stable")], rows, corners[gains], gains)


def _corner(box: Box, mean: FloatArray) -> FloatArray:
    return np.where(_shift(box, box.low, mean) > _shift(box, box.high, mean), box.low, box.high)


def _shift(box: Box, x: FloatArray, mean: FloatArray) -> FloatArray:
    """How far x shifts its class's sums of x and of squared deviations, in their sensitivities: squares, added."""
    width = np.where(box.high > box.low, box.high - box.low, 1.0)
    farthest = np.maximum(np.maximum(mean - box.low, box.high - mean), 1e-12)
    return np.asarray((x / width) ** 2 + ((x - mean) / farthest) ** 4)
