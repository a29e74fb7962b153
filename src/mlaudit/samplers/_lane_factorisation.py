"""The factorisation whose failure makes scipy's L-BFGS-B forget its pairs."""

import math
from typing import Any

import numpy as np

from mlaudit.samplers._numba import fused


@fused
def singular(lanes: Any, r: Any, size: Any) -> Any:
    """Does the factorisation fail for the pairs of lane r?

    scipy needs that matrix for bounds only, of which there are none; yet its failure is what stops an intercept on
    its way to infinity, and where it stops depends on rounding. So squares of lengths are rounded twice, products are
    added unrounded, and sums are subtracted whole, as there.
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
        cross[i, i] = 1.0 / lanes.weight[size - 1 - i, r]
    theta = 1.0 / lanes.scale[r]
    for i in range(size):
        for k in range(i + 1):
            total = 0.0
            for j in range(k):
                total += cross[i, j] * cross[k, j] / cross[j, j]
            lengths[i, k] = total + theta * lengths[i, k]
    return not _positive(lengths)


@fused
def _positive(matrix: Any) -> Any:
    """Cholesky's factorisation in place; is the matrix positive definite?"""
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
