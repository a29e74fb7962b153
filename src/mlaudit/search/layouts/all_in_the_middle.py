"""All rows equal, halfway between two opposite corners."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray


def all_in_the_middle(shape: Shape) -> tuple[FloatArray, AnyArray]:
    """Every row in the middle; labels in turn."""
    return np.tile((shape.low + shape.high) / 2, (shape.rows, 1)), np.arange(shape.rows)
