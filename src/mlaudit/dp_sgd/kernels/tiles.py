"""Unrolled steps for tiles of 2×2 outputs: pooling, its inverse, and the gradients of weights.

A 4×4 patch of inputs starts at `at` and has rows of `row` vectors. Sums are a tuple of vectors in registers.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

from llvmlite import ir
from numba import types

from mlaudit.kernels.lanes import (
    CODES,
    VECTOR,
    array_pointer,
    lanes,
    llvm_function,
    load_at,
    multiply_add,
    pack,
    store_at,
    unpack,
)

TAPS = tuple(product(range(3), range(3)))
CORNERS = tuple(product(range(2), range(2)))


@llvm_function
def pool(
    typing: Any, outputs: Any, array: Any, at: Any, step: Any, codes: Any, codes_at: Any, codes_step: Any
) -> tuple[Any, Callable[..., Any]]:
    """Write the largest of each filter's four outputs and zero, and its code: its index, −1 for zero."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, marks = (array_pointer(context, builder, signature, args, i) for i in (1, 4))
        values = unpack(builder, args[0], outputs.count)
        for i in range(outputs.count // 4):
            best, code_of_best = ir.Constant(VECTOR, None), _codes(-1)
            for corner, value in enumerate(values[4 * i : 4 * i + 4]):
                larger = builder.fcmp_ordered(">", value, best)
                best = builder.select(larger, value, best)
                code_of_best = builder.select(larger, _codes(corner), code_of_best)
            store_at(builder, target, builder.mul(args[3], args[3].type(i)), best)
            store_at(builder, marks, builder.mul(args[6], args[6].type(i)), builder.bitcast(code_of_best, VECTOR))
        return context.get_dummy_value()

    return types.void(outputs, array, types.intp, types.intp, codes, types.intp, types.intp), code


@llvm_function
def keep_living(typing: Any, slope: Any, codes: Any) -> tuple[Any, Callable[..., Any]]:
    """Return a pooled output's slope, but zero in lanes in which it was zero."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        alive = builder.icmp_signed(">=", builder.bitcast(args[1], CODES), _codes(0))
        return builder.select(alive, args[0], ir.Constant(VECTOR, None))

    return lanes(lanes, lanes), code


@llvm_function
def spread(typing: Any, slope: Any, codes: Any, array: Any, at: Any, row: Any) -> tuple[Any, Callable[..., Any]]:
    """Write a pooled output's slope to the corner of its code and zero to the others."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, row = array_pointer(context, builder, signature, args, 2), args[4]
        codes, nothing = builder.bitcast(args[1], CODES), ir.Constant(VECTOR, None)
        for corner, (y, x) in enumerate(CORNERS):
            value = builder.select(builder.icmp_signed("==", codes, _codes(corner)), args[0], nothing)
            store_at(builder, pointer, builder.add(builder.mul(row, row.type(y)), row.type(x)), value)
        return context.get_dummy_value()

    return types.void(lanes, lanes, array, types.intp, types.intp), code


@llvm_function
def correlate(
    typing: Any, sums: Any, slope: Any, codes: Any, array: Any, at: Any, row: Any
) -> tuple[Any, Callable[..., Any]]:
    """Add the contribution of a pooled output to the sums of nine taps.

    Only one of its four outputs has a slope: each lane selects the 3×3 inputs of that output from the patch, so that
    nine products suffice instead of 36.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = unpack(builder, args[0], len(TAPS))
        pointer, row = array_pointer(context, builder, signature, args, 3), args[5]
        lower, right = (_has_bit(builder, args[2], bit) for bit in (2, 1))
        inputs = {}
        for y in range(4):
            offsets = [builder.add(builder.mul(row, row.type(y)), row.type(x)) for x in range(4)]
            loaded = [load_at(builder, pointer, offset) for offset in offsets]
            inputs[y] = [builder.select(right, loaded[x + 1], loaded[x]) for x in range(3)]
        for number, (y, x) in enumerate(TAPS):
            selected = builder.select(lower, inputs[y + 1][x], inputs[y][x])
            values[number] = multiply_add(builder, args[1], selected, values[number])
        return pack(builder, values)

    return sums(sums, lanes, lanes, array, types.intp, types.intp), code


@llvm_function
def write(typing: Any, outputs: Any, array: Any, at: Any, row: Any, step: Any) -> tuple[Any, Callable[..., Any]]:
    """Write each filter's 2×2 outputs."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, row = array_pointer(context, builder, signature, args, 1), args[3]
        for i, (corner, (y, x)) in product(range(outputs.count // 4), enumerate(CORNERS)):
            inside = builder.add(builder.mul(row, row.type(y)), row.type(x))
            value = builder.extract_value(args[0], 4 * i + corner)
            store_at(builder, pointer, builder.add(inside, builder.mul(args[4], args[4].type(i))), value)
        return context.get_dummy_value()

    return types.void(outputs, array, types.intp, types.intp, types.intp), code


@llvm_function
def read_taps(typing: Any, array: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    """Return nine sums."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = array_pointer(context, builder, signature, args, 0)
        return pack(builder, [load_at(builder, pointer, args[1].type(i)) for i in range(len(TAPS))])

    return types.UniTuple(lanes, len(TAPS))(array, types.intp), code


@llvm_function
def write_taps(typing: Any, sums: Any, array: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    """Write nine sums."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = array_pointer(context, builder, signature, args, 1)
        for i, value in enumerate(unpack(builder, args[0], len(TAPS))):
            store_at(builder, pointer, args[2].type(i), value)
        return context.get_dummy_value()

    return types.void(sums, array, types.intp), code


def _codes(value: int) -> Any:
    return ir.Constant(CODES, [value] * CODES.count)


def _has_bit(builder: Any, codes: Any, bit: int) -> Any:
    return builder.icmp_signed("!=", builder.and_(builder.bitcast(codes, CODES), _codes(bit)), _codes(0))
