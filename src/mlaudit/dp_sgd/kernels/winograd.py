"""Winograd's F(2×2, 3×3): 16 products for a channel, a filter and a tile of 2×2 outputs, instead of 36.

Inputs V, kernels U and sums M of products have 4×4 numbers for each tile: V = Bᵀ·patch·B, U = G·kernel·Gᵀ, M = Σ U·V
over channels, outputs = Aᵀ·M·A. Sums stay in registers for one row of M, two filters and two tiles, so that every
number loaded is used twice, and leave the registers as two numbers instead of four: stores slow products down. This
costs fewer additions than larger tiles, whose rounding errors are larger, too.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

from llvmlite import ir
from numba import types

from mlaudit.dp_sgd.kernels.lanes import (
    VECTOR,
    array_pointer,
    lanes,
    llvm_function,
    load_at,
    multiply_add,
    pack,
    splat_at,
    store_at,
    unpack,
)
from mlaudit.kernels.jit import inlined

TILES, FILTERS = 2, 2  # whose sums are in registers at once
PAIRS = tuple(product(range(FILTERS), range(TILES)))
SUMS = 4 * len(PAIRS)
VALUES = 16  # vectors of V for a channel and tile
HALVES = 2 * SUMS  # vectors of Aᵀ·M for two filters and tiles


def work_size(channels: int) -> int:
    """Return how many vectors V and Aᵀ·M take for a group of tiles."""
    return channels * TILES * VALUES + HALVES


def transformed_size(channels: int, filters: int) -> int:
    """Return how many numbers U takes, with each filter's bias."""
    return 4 * (filters + filters % FILTERS) * (4 * channels + 1)


def _transform(builder: Any, d: list[Any]) -> list[Any]:
    """Bᵀ·d."""
    add, subtract = builder.fadd, builder.fsub
    return [subtract(d[0], d[2]), add(d[1], d[2]), subtract(d[2], d[1]), subtract(d[1], d[3])]


def _transform_back(builder: Any, m: list[Any]) -> list[Any]:
    """Aᵀ·m."""
    both, difference = builder.fadd(m[1], m[2]), builder.fsub(m[1], m[2])
    return [builder.fadd(m[0], both), builder.fsub(difference, m[3])]


@llvm_function
def _transform_tile(
    typing: Any, array: Any, at: Any, row: Any, target: Any, to: Any, step: Any
) -> tuple[Any, Callable[..., Any]]:
    """Write V of the patch at `at`; its rows are `step` apart."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, out = (array_pointer(context, builder, signature, args, i) for i in (0, 3))
        row, step = args[2], args[5]
        columns = []
        for x in range(4):
            offsets = [builder.add(builder.mul(row, row.type(y)), row.type(x)) for y in range(4)]
            columns.append(_transform(builder, [load_at(builder, source, offset) for offset in offsets]))
        for i, values in enumerate(zip(*columns, strict=True)):
            for j, value in enumerate(_transform(builder, list(values))):
                store_at(builder, out, builder.add(builder.mul(step, step.type(i)), step.type(j)), value)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, target, types.intp, types.intp), code


@llvm_function
def _begin(typing: Any, kernels: Any, first: Any, step: Any) -> tuple[Any, Callable[..., Any]]:
    """Return a row of M before the first channel: zeros, but each filter's number in the second place."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(kernels)(context, builder, args[0]).data
        zero = ir.Constant(VECTOR, None)
        values = []
        for f, _ in PAIRS:
            start = splat_at(builder, data, builder.add(args[1], builder.mul(args[2], args[2].type(f))))
            values += [zero, start, zero, zero]
        return pack(builder, values)

    return types.UniTuple(lanes, SUMS)(kernels, types.intp, types.intp), code


@llvm_function
def _add_channel(
    typing: Any, sums: Any, array: Any, at: Any, kernels: Any, first: Any, step: Any
) -> tuple[Any, Callable[..., Any]]:
    """Add the products of one channel to a row of M; filter i has its row of U at first + i·step."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = unpack(builder, args[0], SUMS)
        inputs = array_pointer(context, builder, signature, args, 1)
        data = context.make_array(kernels)(context, builder, args[3]).data
        for j in range(4):
            loaded = [load_at(builder, inputs, args[2].type(4 * t + j)) for t in range(TILES)]
            for i, (f, t) in enumerate(PAIRS):
                offset = builder.add(args[4], builder.add(builder.mul(args[5], args[5].type(f)), args[5].type(j)))
                weight = splat_at(builder, data, offset)
                values[4 * i + j] = multiply_add(builder, weight, loaded[t], values[4 * i + j])
        return pack(builder, values)

    return sums(sums, array, types.intp, kernels, types.intp, types.intp), code


@llvm_function
def _write_row(typing: Any, sums: Any, array: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    """Write a row of M·A: two numbers for each filter and tile."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, values = array_pointer(context, builder, signature, args, 1), unpack(builder, args[0], SUMS)
        for i in range(len(PAIRS)):
            for x, value in enumerate(_transform_back(builder, values[4 * i : 4 * i + 4])):
                store_at(builder, target, args[2].type(2 * i + x), value)
        return context.get_dummy_value()

    return types.void(sums, array, types.intp), code


@llvm_function
def _finish(typing: Any, array: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the 2×2 outputs of a filter and tile, Aᵀ·(M·A)."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, kind = array_pointer(context, builder, signature, args, 0), args[1].type
        columns = []
        for x in range(2):
            rows = [load_at(builder, source, kind(2 * len(PAIRS) * i + x)) for i in range(4)]
            columns.append(_transform_back(builder, rows))
        return pack(builder, [columns[x][y] for y, x in product(range(2), range(2))])

    return types.UniTuple(lanes, 4)(array, types.intp), code


@inlined
def transform_tiles(memory: Any, at: Any, row: Any, channels: Any, tiles: Any, work: Any) -> None:
    """Set V of one or two tiles beside each other; without a second tile its V keeps numbers that nothing reads."""
    for c in range(channels):
        for t in range(tiles):
            to = work + (c * TILES + t) * 4
            _transform_tile(memory, at + c * row * row + 2 * t, row, memory, to, channels * TILES * 4)


@inlined
def multiply(memory: Any, work: Any, channels: Any, kernels: Any, first: Any, filters: Any) -> None:
    """Set M·A of two filters, the first of which has its row of U at `first`, from V."""
    each = 4 * channels + 1
    for i in range(4):
        start = first + i * (filters + filters % FILTERS) * each
        sums = _begin(kernels, start, each)
        for c in range(channels):
            inputs = work + (i * channels + c) * TILES * 4
            sums = _add_channel(sums, memory, inputs, kernels, start + 1 + 4 * c, each)
        _write_row(sums, memory, work + channels * TILES * VALUES + i * 2 * len(PAIRS))


@inlined
def outputs_of(memory: Any, work: Any, channels: Any, f: Any, t: Any) -> Any:
    """Return the 2×2 outputs of one of two filters at one of two tiles."""
    return _finish(memory, work + channels * TILES * VALUES + (f * TILES + t) * 2)
