"""Flip the label of the row nearest a corner: moves Naive Bayes' priors, means and variances at once."""

from dataclasses import dataclass

from numpy.random import Generator

from mlaudit.attacks._rows import corner_distance, farthest_class, find_classes, nearest_of_class, poison_rows
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class PriorFlip:
    """For Naive Bayes: k rows of one class become copies of its most extreme row, with another label."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows of one class in the other."""
        y, classes = find_classes(data, "prior_flip")
        order = nearest_of_class(corner_distance(data.finite), y)
        return poison_rows(data, order, rows, data.X[order[0]], farthest_class(data, classes, int(order[0])))
