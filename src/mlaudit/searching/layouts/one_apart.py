"""All rows at one corner and one at the opposite."""

import numpy as np

from mlaudit.searching.worst import Frame
from mlaudit.types.arrays import AnyArray, FloatArray


def one_apart(frame: Frame) -> tuple[FloatArray, AnyArray]:
    """The first row alone at the upper corner; labels in turn."""
    X = np.tile(frame.low, (frame.rows, 1))
    X[0] = frame.high
    return X, np.arange(frame.rows)
