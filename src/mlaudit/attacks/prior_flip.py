"""Flip the label of the row nearest a corner: moves Naive Bayes' priors, means and variances at once."""

from dataclasses import dataclass

from numpy.random import Generator

from mlaudit.attacks._rows import corner_distance, nearest_of_class, other_class, poison_rows, two_classes
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class PriorFlip:
    """For Naive Bayes: k rows of one class become copies of its most extreme row, with the other label."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows of one class in the other."""
        y, classes = two_classes(data, "prior_flip")
        order = nearest_of_class(corner_distance(data.X), y)
        return poison_rows(data, order, rows, data.X[order[0]], other_class(classes, y[order[0]]))
