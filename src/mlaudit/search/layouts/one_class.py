"""All rows equal, with one and the same label."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray


def one_class(shape: Shape) -> tuple[FloatArray, AnyArray] | None:
    """Every row at the upper corner, of the first class; no such layout without labels."""
    if shape.labels is None:
        return None
    return np.tile(shape.high, (shape.rows, 1)), np.zeros(shape.rows, dtype=np.int64)
