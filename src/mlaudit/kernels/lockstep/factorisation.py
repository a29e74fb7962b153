"""The factorisation whose failure makes scipy's L-BFGS-B clear its memory."""

import math
from typing import Any

import numpy as np

from mlaudit.kernels.jit import fused


@fused
def is_singular(lanes: Any, r: Any, size: Any) -> Any:
    """Whether scipy's factorisation fails for the `size` pairs of lane r.

    scipy uses the matrix for bounds only, and there are none here. But its failure is what stops an intercept that
    runs to infinity, and rounding decides where. So the rounding is scipy's: squared lengths are rounded twice,
    products are added unrounded, and sums are subtracted as a whole.
    """
    p = lanes.point.shape[0]
    lengths, cross = np.zeros((size, size)), np.zeros((size, size))
    for i in range(size):
        for k in range(i + 1):
            for j in range(p):
                step = lanes.steps[size - 1 - i, j, r]
                lengths[i, k] += step * lanes.steps[size - 1 - k, j, r]
                cross[i, k] += step * lanes.changes[size - 1 - k, j, r]
        lengths[i, i] = math.sqrt(lengths[i, i]) ** 2
        cross[i, i] = 1.0 / lanes.rho[size - 1 - i, r]
    theta = 1.0 / lanes.gamma[r]
    for i in range(size):
        for k in range(i + 1):
            total = 0.0
            for j in range(k):
                total += cross[i, j] * cross[k, j] / cross[j, j]
            lengths[i, k] = total + theta * lengths[i, k]
    return not _factorise(lengths)


@fused
def _factorise(matrix: Any) -> Any:
    """Overwrite the matrix by its Cholesky factor; return False if it is not positive definite."""
    for k in range(len(matrix)):
        for i in range(k, len(matrix)):
            total = 0.0
            for j in range(k):
                total += matrix[i, j] * matrix[k, j]
            matrix[i, k] -= total
            if i > k:
                matrix[i, k] /= matrix[k, k]
            elif matrix[k, k] > 0.0:
                matrix[k, k] = math.sqrt(matrix[k, k])
            else:
                return False
    return True
