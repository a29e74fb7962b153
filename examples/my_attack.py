"""An attack of your own: D in, a pair out. Whether the pair is legal is checked for you.

mlaudit check examples/my_attack.py:FlipLabels
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit import Dataset, Pair
from mlaudit.protocols import Mechanism
from mlaudit.types.edits import relabel_rows


@dataclass(frozen=True)
class FlipLabels:
    """Flips the labels of the rows nearest the lowest corner of the data (two classes)."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` labels flipped."""
        assert data.y is not None
        classes = np.unique(data.y)
        nearest = np.argsort(np.abs(data.X - data.X.min(axis=0)).sum(axis=1), kind="stable")[:rows]
        flipped = np.where(data.y[nearest] == classes[0], classes[1], classes[0])
        return Pair(data, relabel_rows(data, nearest, flipped), target=data.X[nearest[0]])
