"""All rows equal, and one class with a single member."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray


def lone_class(shape: Shape) -> tuple[FloatArray, AnyArray] | None:
    """The first row alone has the second label; no such layout without labels."""
    if shape.labels is None or len(shape.labels) < 2:
        return None
    return np.tile(shape.low, (shape.rows, 1)), (np.arange(shape.rows) == 0).astype(np.int64)
