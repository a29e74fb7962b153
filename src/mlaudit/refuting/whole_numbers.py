"""The domain of data that hold whole numbers only, for learners that declare none."""

from dataclasses import dataclass

import numpy as np

from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Label


@dataclass(frozen=True, eq=False, init=False)
class WholeNumbers(Box):
    """The whole numbers of a box.

    A learner may add whole noise to a count of bits. Half a bit is not among its data, and would refute its claim.

    >>> WholeNumbers(0, 2).project(np.array([[0.7], [5.0]])).ravel().tolist()
    [1.0, 2.0]
    """

    def contains(self, X: FloatArray) -> BoolArray:
        """Which rows are whole numbers inside the box."""
        return np.asarray(super().contains(X) & (np.rint(X) == X).all(axis=1))

    def project(self, X: FloatArray) -> FloatArray:
        """The nearest rows of the domain."""
        return np.rint(super().project(X))


def enclose_data(data: Dataset) -> Box:
    """The smallest box around the rows, with their labels; only its whole numbers if the rows hold no others.

    >>> type(enclose_data(Dataset([0.0, 3.0]))).__name__, type(enclose_data(Dataset([0.0, 0.5]))).__name__
    ('WholeNumbers', 'Box')
    """
    labels: tuple[Label, ...] | None = None if data.y is None else tuple(np.unique(data.y).tolist())
    kind = WholeNumbers if (np.rint(data.X) == data.X).all() else Box
    return kind.enclosing(data.X, labels)
