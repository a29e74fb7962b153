"""Half of the rows at one corner, half at the opposite, each half of one class."""

import numpy as np

from mlaudit.search.layout import Shape
from mlaudit.types.arrays import AnyArray, FloatArray


def halves(shape: Shape) -> tuple[FloatArray, AnyArray]:
    """The second half at the upper corner."""
    second = np.arange(shape.rows) >= shape.rows // 2
    return np.where(second[:, None], shape.high, shape.low), second.astype(np.int64)
