"""The first column constant, the others spread out: a scale that is estimated from the rows is zero."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray


def constant_column(shape: Shape) -> tuple[FloatArray, AnyArray] | None:
    """The lower bound in the first column, equal steps in the others; no such layout with one column."""
    if shape.columns < 2:
        return None
    X = np.linspace(shape.low, shape.high, shape.rows)
    X[:, 0] = shape.low[0]
    return X, np.arange(shape.rows)
