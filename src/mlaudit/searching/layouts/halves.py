"""Half of the rows at one corner, half at the opposite, each half of one class."""

import numpy as np

from mlaudit.searching.worst import Frame
from mlaudit.types.arrays import AnyArray, FloatArray


def halves(frame: Frame) -> tuple[FloatArray, AnyArray]:
    """The second half at the upper corner."""
    second = np.arange(frame.rows) >= frame.rows // 2
    return np.where(second[:, None], frame.high, frame.low), second.astype(np.int64)
