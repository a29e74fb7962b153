"""Rows spread evenly from one corner to the opposite, labels in turn: each alone."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray


def spread_out(shape: Shape) -> tuple[FloatArray, AnyArray]:
    """Equal steps along the diagonal."""
    share = np.linspace(0.0, 1.0, shape.rows)[:, None]
    return shape.low + share * (shape.high - shape.low), np.arange(shape.rows)
