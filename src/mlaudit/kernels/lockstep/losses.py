"""Logistic losses of every lane, summed over rows of the data.

z is half the margin of each row (first axis) in each lane: the loss is Σ log(1 + e^{−2z}), its derivative tanh z − 1.
"""

import math
from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled, fused

_SHORT = 16  # rows that are summed in the lanes' precision before the sum is added to a double
_LEAF = 128  # numbers that numpy's pairwise summation adds without splitting them

# Constants of e^x in single precision.
_ONE, _TWO, _HALF, _LOWEST = (np.float32(x) for x in (1.0, 2.0, 0.5, -87.0))
_LOG2_E, _LN2_HIGH, _LN2_LOW = (np.float32(x) for x in (1.4426950408889634, 0.693359375, -2.12194440e-4))
_C3, _C4, _C5, _C6, _C7 = (np.float32(1.0 / math.factorial(k)) for k in range(3, 8))


@fused
def add_losses_and_take_tanh(z: Any, loss: Any) -> None:
    """Add Σ log(1 + e^{−2z}) to loss and replace z by tanh z, in single precision.

    With e = e^{−2|z|} these are |z| − z + log(1 + e) and ±(1 − e)/(1 + e). A logarithm is taken of a product of many
    rows. e is computed as e^r·2^k, and e^r for |r| ≤ ½ log 2 by its Taylor series.
    """
    total, factor, product = np.zeros(len(loss), z.dtype), np.ones(len(loss), z.dtype), np.ones(len(loss))
    for start in range(0, len(z), _SHORT):
        total[:] = 0.0
        factor[:] = 1.0
        for i in range(start, min(len(z), start + _SHORT)):
            for r in range(len(loss)):
                size = abs(z[i, r])
                x = max(-_TWO * size, _LOWEST)
                k = np.int32(x * _LOG2_E - _HALF)
                y = (x - np.float32(k) * _LN2_HIGH) - np.float32(k) * _LN2_LOW
                series = ((((((_C7 * y + _C6) * y + _C5) * y + _C4) * y + _C3) * y + _HALF) * y + _ONE) * y + _ONE
                e = series * np.int32((k + np.int32(127)) << np.int32(23)).view(np.float32)
                total[r] += size - z[i, r]
                factor[r] *= _ONE + e
                z[i, r] = math.copysign((_ONE - e) / (_ONE + e), z[i, r])
        for r in range(len(loss)):
            loss[r] += total[r]
            product[r] *= factor[r]
    for r in range(len(loss)):
        loss[r] += math.log(product[r])


@fused
def add_losses(z: Any, t: Any, loss: Any) -> None:
    """Add Σ log(1 + e^{−2z}) to loss, given t = tanh z.

    A term is |z| − z + log 2 − log(1 + |t|). A logarithm is taken of a product of many rows.
    """
    rows, width = z.shape
    part, factor, product = np.zeros(width, z.dtype), np.ones(width, z.dtype), np.ones(width)
    none = np.zeros(width, z.dtype)
    for start in range(0, rows, _SHORT):
        stop = min(rows, start + _SHORT)
        whole = stop - (stop - start) % 4
        part[:] = 0.0
        factor[:] = 1.0
        for i in range(start, whole, 4):
            _add_four_terms(part, z[i], z[i + 1], z[i + 2], z[i + 3])
            _multiply_four_factors(factor, t[i], t[i + 1], t[i + 2], t[i + 3])
        for i in range(whole, stop):
            _add_four_terms(part, z[i], none, none, none)
            _multiply_four_factors(factor, t[i], none, none, none)
        for r in range(width):
            loss[r] += part[r]
            product[r] *= factor[r]
    for r in range(width):
        loss[r] += rows * math.log(2.0) - math.log(product[r])


@fused
def _add_four_terms(total: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    """Add |z| − z of four rows at once: row by row, half the work would be loading and storing the sum."""
    for r in range(len(total)):
        total[r] += ((abs(a[r]) - a[r]) + (abs(b[r]) - b[r])) + ((abs(c[r]) - c[r]) + (abs(d[r]) - d[r]))


@fused
def _multiply_four_factors(product: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    """Multiply by 1 + |t| of four rows at once."""
    one = product.dtype.type(1.0)
    for r in range(len(product)):
        product[r] *= ((one + abs(a[r])) * (one + abs(b[r]))) * ((one + abs(c[r])) * (one + abs(d[r])))


@compiled
def sum_saturated_losses(z: Any, leaves: Any, out: Any) -> None:
    """Set out to Σ 2·max(−z, 0), the loss for large |z|, added in the order of numpy's pairwise summation.

    `leaves` are the rows of `pairwise_leaves`.
    """
    sums, stack, top = np.empty((8, len(out))), np.empty((len(leaves), len(out))), 0
    for leaf in range(len(leaves)):
        first, last, merges = leaves[leaf, 0], leaves[leaf, 1], leaves[leaf, 2]
        whole = last - (last - first) % 8
        sums[:] = 0.0
        for i in range(first, whole):
            k = (i - first) % 8
            for r in range(len(out)):
                sums[k, r] += abs(z[i, r]) - z[i, r]
        for r in range(len(out)):
            left = (sums[0, r] + sums[1, r]) + (sums[2, r] + sums[3, r])
            stack[top, r] = left + ((sums[4, r] + sums[5, r]) + (sums[6, r] + sums[7, r]))
        for i in range(whole, last):
            for r in range(len(out)):
                stack[top, r] += abs(z[i, r]) - z[i, r]
        for _ in range(merges):
            top -= 1
            stack[top] += stack[top + 1]
        top += 1
    out[:] = stack[0]


def pairwise_leaves(first: int, last: int) -> list[tuple[int, int, int]]:
    """Return the runs that numpy's pairwise summation adds one by one: first, last, and sums to merge afterwards.

    >>> pairwise_leaves(0, 300)
    [(0, 72, 0), (72, 144, 1), (144, 216, 0), (216, 300, 2)]
    """
    if last - first <= _LEAF:
        return [(first, last, 0)]
    half = (last - first) // 2
    middle = first + half - half % 8
    *others, (start, stop, merges) = pairwise_leaves(middle, last)
    return [*pairwise_leaves(first, middle), *others, (start, stop, merges + 1)]
