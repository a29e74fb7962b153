"""Move the rows nearest one corner of the data to the far corner of the domain, keeping their labels."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, L2Ball
from mlaudit.types.edits import find_unequal, replace_rows
from mlaudit.types.pair import Pair
from mlaudit.types.rounding import round_computed


@dataclass(frozen=True)
class FarCorner:
    """For any learner whose output follows sums or means of its rows, with or without labels."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with the `rows` lowest rows at the highest corner."""
        corner = round_computed(_corner(data), data)
        movable = find_unequal(data, np.arange(len(data)), corner)
        if len(movable) < rows:
            raise InvalidInput(f"far_corner needs {rows} rows to move, got {len(movable)}; ask for fewer rows")
        distance = np.abs(data.finite[movable] - data.finite.min(axis=0)).sum(axis=1)
        lowest = movable[np.argsort(distance, kind="stable")[:rows]]
        return Pair(data, replace_rows(data, lowest, corner), target=corner)


def _corner(data: Dataset) -> FloatArray:
    high = data.finite.max(axis=0)
    if isinstance(data.domain, Box):
        return data.domain.high
    if isinstance(data.domain, L2Ball):
        norm = float(np.linalg.norm(high))
        direction = high / norm if norm > 0 else np.full(len(high), len(high) ** -0.5)
        return np.asarray(direction * data.domain.radius)
    return np.asarray(high if data.domain is None else data.domain.project(high[None, :])[0])
