"""Rows spread evenly from one corner to the opposite, labels in turn: each alone."""

import numpy as np

from mlaudit.searching.worst import Frame
from mlaudit.types.arrays import AnyArray, FloatArray


def spread_out(frame: Frame) -> tuple[FloatArray, AnyArray]:
    """Equal steps along the diagonal."""
    share = np.linspace(0.0, 1.0, frame.rows)[:, None]
    return frame.low + share * (frame.high - frame.low), np.arange(frame.rows)
