"""Winograd's F(2, 3) along rows: 24 products for a channel, a filter and 2×2 outputs, instead of 36.

For three weights w and four inputs d in a row, the two outputs are Aᵀ·[(G·w)·(Bᵀ·d)], four products instead of six.
Products are summed over channels and the three rows of a kernel before Aᵀ is applied, in registers. Bᵀ and Aᵀ only
add; Zen 5 adds beside its products. F(2×2, 3×3) needs 16 products, but its sums and transformed inputs go through
memory, and a store takes the place of two products: it was not faster with 8 channels, and slower with fewer.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from mlaudit.kernels.jit import inlined
from mlaudit.kernels.lanes import (
    VECTOR,
    array_pointer,
    lanes,
    llvm_function,
    load_at,
    multiply_add,
    pack,
    splat_at,
    unpack,
)

FILTERS = 2  # at once
_SUMS = 8  # of a filter: four for each row of outputs
KERNEL = 12  # transformed weights of a filter and channel: four for each row


def even(filters: int) -> int:
    """Return the number of filters that are computed: of an odd number, the last is computed with one of zeros."""
    return filters + filters % FILTERS


def transformed_size(channels: int, filters: int) -> int:
    """Return how many numbers the transformed weights take; each filter's bias is ahead of them."""
    return even(filters) * (1 + KERNEL * channels)


def _transform(builder: Any, d: list[Any]) -> list[Any]:
    """Bᵀ·d."""
    add, subtract = builder.fadd, builder.fsub
    return [subtract(d[0], d[2]), add(d[1], d[2]), subtract(d[2], d[1]), subtract(d[1], d[3])]


def _transform_back(builder: Any, m: list[Any]) -> list[Any]:
    """Aᵀ·m."""
    total, difference = builder.fadd(m[1], m[2]), builder.fsub(m[1], m[2])
    return [builder.fadd(m[0], total), builder.fsub(difference, m[3])]


@llvm_function
def begin(typing: Any, kernels: Any, first: Any, step: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the sums before the first channel: Aᵀ adds what is in the second place to both outputs of a row."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(kernels)(context, builder, args[0]).data
        zero, values = ir.Constant(VECTOR, None), []
        for i in range(FILTERS):
            bias = splat_at(builder, data, builder.add(args[1], builder.mul(args[2], args[2].type(i))))
            values += [zero, bias, zero, zero] * 2
        return pack(builder, values)

    return types.UniTuple(lanes, FILTERS * _SUMS)(kernels, types.intp, types.intp), code


@llvm_function
def add_channel(
    typing: Any, sums: Any, array: Any, at: Any, row: Any, kernels: Any, first: Any, step: Any
) -> tuple[Any, Callable[..., Any]]:
    """Add the products of one channel's 4×4 patch; filter i has its transformed weights at first + i·step."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = unpack(builder, args[0], sums.count)
        inputs = _transformed_rows(builder, array_pointer(context, builder, signature, args, 1), args[3])
        data = context.make_array(kernels)(context, builder, args[4]).data
        for number in range(KERNEL):
            dy, j = divmod(number, 4)
            for i in range(FILTERS):
                ahead = builder.add(builder.mul(args[6], args[6].type(i)), args[6].type(number))
                weight = splat_at(builder, data, builder.add(args[5], ahead))
                for y in range(2):
                    at = _SUMS * i + 4 * y + j
                    values[at] = multiply_add(builder, weight, inputs[y + dy][j], values[at])
        return pack(builder, values)

    return sums(sums, array, types.intp, types.intp, kernels, types.intp, types.intp), code


def _transformed_rows(builder: Any, pointer: Any, row: Any) -> list[list[Any]]:
    """Return Bᵀ·d of each row of a 4×4 patch."""
    found = []
    for y in range(4):
        offsets = [builder.add(builder.mul(row, row.type(y)), row.type(x)) for x in range(4)]
        found.append(_transform(builder, [load_at(builder, pointer, offset) for offset in offsets]))
    return found


@llvm_function
def finish(typing: Any, sums: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the 2×2 outputs of each filter."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = unpack(builder, args[0], sums.count)
        rows = [_transform_back(builder, values[i : i + 4]) for i in range(0, sums.count, 4)]
        return pack(builder, [output for row in rows for output in row])

    return types.UniTuple(lanes, sums.count // 2)(sums), code


@inlined
def transform_kernel(weights: Any, first: Any, kernels: Any, to: Any, back: Any) -> None:
    """Write G·w for each row of a kernel to `to`, and of the kernel rotated by 180° to `back`."""
    half = np.float32(0.5)
    for y in range(3):
        a, b, c = weights[first + 3 * y], weights[first + 3 * y + 1], weights[first + 3 * y + 2]
        transformed = a, half * (a + b + c), half * (a - b + c), c
        for j in range(4):
            kernels[to + 4 * y + j] = transformed[j]
            kernels[back + 4 * (2 - y) + (3 - j if j in (0, 3) else j)] = transformed[j]
