"""All rows at one corner and one at the opposite."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray


def one_apart(shape: Shape) -> tuple[FloatArray, AnyArray]:
    """The first row alone at the upper corner; labels in turn."""
    X = np.tile(shape.low, (shape.rows, 1))
    X[0] = shape.high
    return X, np.arange(shape.rows)
