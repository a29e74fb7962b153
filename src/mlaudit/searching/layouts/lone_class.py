"""All rows equal, and one class with a single member."""

import numpy as np

from mlaudit.searching.worst import Frame
from mlaudit.types.arrays import AnyArray, FloatArray


def lone_class(frame: Frame) -> tuple[FloatArray, AnyArray] | None:
    """The first row alone has the second label; no such layout without labels."""
    if frame.labels is None or len(frame.labels) < 2:
        return None
    return np.tile(frame.low, (frame.rows, 1)), (np.arange(frame.rows) == 0).astype(np.int64)
