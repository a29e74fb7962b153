"""Put rows of one class into the other, at the corner farthest from it: moves priors, means and variances most."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.attacks._rows import other_class, poisoned, two_classes
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class CornerFlip:
    """For Naive Bayes, beyond the paper: prior_flip and mean_corner in one.

    The class that gains the rows is the one whose mean they move most, in widths of the box; the rows it gains them
    from are those farthest from their own mean, which moves, too.
    """

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows of one class in the other's farthest corner."""
        y, classes = two_classes(data, "corner_flip")
        box = data.domain if isinstance(data.domain, Box) else Box.enclosing(data.X)
        corners = {label: _farthest_corner(box, data.X[y == label].mean(axis=0)) for label in classes}
        gains = max(classes, key=lambda label: _push(box, data.X[y == label], corners[label]))
        losers = np.flatnonzero(y == other_class(classes, gains))
        distance = np.linalg.norm(data.X[losers] - data.X[losers].mean(axis=0), axis=1)
        return poisoned(data, losers[np.argsort(-distance, kind="stable")], rows, corners[gains], gains)


def _farthest_corner(box: Box, mean: FloatArray) -> FloatArray:
    return np.where(mean - box.low > box.high - mean, box.low, box.high)


def _push(box: Box, X: FloatArray, corner: FloatArray) -> float:
    """How far one row at the corner moves the mean of the class, in widths of the box."""
    width = np.where(box.high > box.low, box.high - box.low, 1.0)
    return float((np.abs(corner - X.mean(axis=0)) / width).sum() / len(X))
