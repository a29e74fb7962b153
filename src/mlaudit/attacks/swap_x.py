"""Replace a random row's x with that of a row of another class, keeping its label: a baseline for any learner."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.attacks._rows import poison_rows
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class SwapX:
    """Picks rows of one class and gives all of them the x of one row of another class."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows moved."""
        if data.y is None or len(np.unique(data.y)) < 2:
            raise InvalidInput(
                "swap_x needs labels of at least two classes, got fewer; choose another attack or data"
            )
        order = rng.permutation(len(data))
        own = data.y[order[0]]
        foreign = next(i for i in order if data.y[i] != own)
        return poison_rows(data, order[data.y[order] == own], rows, data.X[foreign], own)
