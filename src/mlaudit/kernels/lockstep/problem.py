"""The problem that all lanes share: data, penalty and stopping rules."""

import math
from typing import Any, NamedTuple

import numpy as np

from mlaudit.kernels.lockstep.losses import pairwise_leaves
from mlaudit.kernels.lockstep.vectors import Array
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

_SMALL = 1_000_000  # OpenBLAS computes products of so few terms at once, faster than larger ones
_FEW = 256  # rows in a block, at most: their factors of up to 2 fit in a double
_ROUNDING = 1e-4  # values closer than this are too close for single precision


class Problem(NamedTuple):
    """Data, penalty and stopping rules: what all lanes share.

    `rows` is ½·(±x) for each row x of the data, signed by its label. If two values of the objective differ by less
    than `rounding`, their slopes decide which is lower; 0 in double precision. `saturated_gradients`, `leaves` and
    `max_norm` give the loss where the last coordinate, an intercept, decides the label of every row.
    """

    rows: Array
    penalty: FloatArray
    gradient_at_zero: FloatArray
    saturated_gradients: FloatArray
    leaves: IntArray
    max_norm: float
    tolerance: float
    max_iterations: int
    rounding: float


def build_problem(
    data: FloatArray,
    positive: BoolArray,
    penalty: FloatArray,
    *,
    dtype: type[np.floating[Any]],
    intercept: bool,
    tolerance: float,
    max_iterations: int,
) -> Problem:
    """Build the problem of minimising the mean logistic loss of the data + ½ Σ penalty·w².

    Rows are signed by their label, so that the loss is log(1 + e^{−z}) for both labels and next to nothing for rows
    that are fitted well.

    Args:
        data: One row for each example; with an intercept, the last column is 1.
        positive: Which rows have the positive label.
        penalty: One weight for each column.
        dtype: Precision of the lanes.
        intercept: Whether the last column stands for an intercept.
        tolerance: A lane has converged when no component of its gradient is larger.
        max_iterations: A lane stops after so many line searches.
    """
    signed = 0.5 * data * np.where(positive, 1.0, -1.0)[:, None]
    return Problem(
        rows=np.ascontiguousarray(signed, dtype=dtype),
        penalty=np.ascontiguousarray(penalty, dtype=float),
        gradient_at_zero=-signed.sum(axis=0),
        saturated_gradients=np.stack([-data[positive].sum(axis=0), data[~positive].sum(axis=0)]),
        leaves=np.array(pairwise_leaves(0, len(data))),
        max_norm=float(np.linalg.norm(data[:, :-1], axis=1).max()) if intercept else math.inf,
        tolerance=tolerance,
        max_iterations=max_iterations,
        rounding=_ROUNDING if dtype is np.float32 else 0.0,
    )


def rows_per_block(shared: Problem, width: int) -> int:
    """How many rows of the data are multiplied at a time."""
    n, p = (int(k) for k in shared.rows.shape)
    most = min(max(_SMALL // (p * width), 16), _FEW)
    return math.ceil(n / math.ceil(n / most))
