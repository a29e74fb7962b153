"""Flip the label of the row farthest from all others: alone in its leaf, it decides the leaf's label."""

from dataclasses import dataclass

from numpy.random import Generator

from mlaudit.attacks._rows import farthest_class, find_classes, nearest_of_class, poison_rows
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class LoneFlip:
    """For random forests: the loneliest rows of one class become copies of the loneliest, with another label."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` lonely labels flipped."""
        from sklearn.metrics.pairwise import manhattan_distances  # noqa: PLC0415 - a second to import, which processes that only train are spared

        y, classes = find_classes(data, "lone_flip")
        loneliness = manhattan_distances(data.finite).sum(axis=1)
        order = nearest_of_class(-loneliness, y)
        return poison_rows(data, order, rows, data.X[order[0]], farthest_class(data, classes, int(order[0])))
