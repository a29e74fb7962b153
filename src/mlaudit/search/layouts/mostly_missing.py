"""One row has all its values, the others miss every value that they may: an imputer copies the one row to all."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.columns import Columns


def mostly_missing(shape: Shape) -> tuple[FloatArray, AnyArray] | None:
    """The first row at the lower corner, the others without values; no such layout where values are never missing."""
    if not isinstance(shape.domain, Columns) or not shape.domain.may_miss.any():
        return None
    X = np.tile(shape.low, (shape.rows, 1))
    X[1:, shape.domain.may_miss] = np.nan
    return X, np.arange(shape.rows)
