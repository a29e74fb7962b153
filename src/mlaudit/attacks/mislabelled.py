"""A real row with the other class's label as a canary (Nasr et al. 2023; Steinke et al. 2023)."""

from dataclasses import dataclass

from numpy.random import Generator

from mlaudit.attacks._rows import farthest_class, find_classes, poison_rows
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Mislabelled:
    """For any learner of classes: x* is a random row of D, with the wrong label."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with that row's label flipped, and more rows replaced by copies of it."""
        _, classes = find_classes(data, "mislabelled")
        order = rng.permutation(len(data))
        return poison_rows(data, order, rows, data.X[order[0]], farthest_class(data, classes, int(order[0])))
