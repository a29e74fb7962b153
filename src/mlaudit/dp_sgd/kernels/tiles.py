"""The unrolled inner loops of a convolution: 2×2 outputs from a 4×4 patch, for one filter or four at once.

A patch starts at `at` and has rows of `row` vectors. The sums of a tile are a tuple of vectors in registers.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

from llvmlite import ir
from numba import types

from mlaudit.dp_sgd.kernels.lanes import (
    CODES,
    VECTOR,
    array_pointer,
    lanes,
    llvm_function,
    load_at,
    multiply_add,
    splat_of,
    store_at,
)

TAPS = tuple(product(range(3), range(3)))
CORNERS = tuple(product(range(2), range(2)))


def _patch(builder: Any, pointer: Any, row: Any, size: int) -> dict[tuple[int, int], Any]:
    """Load the vectors of a size × size square."""
    found = {}
    for y, x in product(range(size), range(size)):
        offset = builder.add(builder.mul(row, row.type(y)), row.type(x))
        found[y, x] = load_at(builder, pointer, offset)
    return found


def _unpack(builder: Any, values: Any, count: int) -> list[Any]:
    return [builder.extract_value(values, i) for i in range(count)]


def _pack(builder: Any, values: list[Any]) -> Any:
    made = ir.Constant(ir.ArrayType(VECTOR, len(values)), ir.Undefined)
    for i, value in enumerate(values):
        made = builder.insert_value(made, value, i)
    return made


@llvm_function
def convolve(
    typing: Any, sums: Any, array: Any, at: Any, row: Any, weights: Any, first: Any, step: Any
) -> tuple[Any, Callable[..., Any]]:
    """Add the contribution of one channel to the sums; filter i has its nine weights at first + i·step."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = _unpack(builder, args[0], sums.count)
        patch = _patch(builder, array_pointer(context, builder, signature, args, 1), args[3], 4)
        data = context.make_array(weights)(context, builder, args[4]).data
        for (number, (dy, dx)), i in product(enumerate(TAPS), range(sums.count // 4)):
            offset = builder.add(args[5], builder.add(builder.mul(args[6], args[6].type(i)), args[6].type(number)))
            weight = splat_of(builder, builder.load(builder.gep(data, [offset])))
            for corner, (y, x) in enumerate(CORNERS):
                values[4 * i + corner] = multiply_add(builder, weight, patch[y + dy, x + dx], values[4 * i + corner])
        return _pack(builder, values)

    return sums(sums, array, types.intp, types.intp, weights, types.intp, types.intp), code


@llvm_function
def correlate(
    typing: Any, sums: Any, array: Any, at: Any, slopes: Any, slopes_at: Any, row: Any, step: Any
) -> tuple[Any, Callable[..., Any]]:
    """Add the contribution of a 2×2 block of slopes to the nine sums of each filter; filters are `step` apart."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = _unpack(builder, args[0], sums.count)
        patch = _patch(builder, array_pointer(context, builder, signature, args, 1), args[5], 4)
        pointer, row = array_pointer(context, builder, signature, args, 3), args[5]
        for i in range(sums.count // 9):
            ahead = builder.mul(args[6], args[6].type(i))
            for y, x in CORNERS:
                offset = builder.add(ahead, builder.add(builder.mul(row, row.type(y)), row.type(x)))
                slope = load_at(builder, pointer, offset)
                for number, (dy, dx) in enumerate(TAPS):
                    values[9 * i + number] = multiply_add(
                        builder, slope, patch[y + dy, x + dx], values[9 * i + number]
                    )
        return _pack(builder, values)

    return sums(sums, array, types.intp, slopes, types.intp, types.intp, types.intp), code


@llvm_function
def pool(
    typing: Any, sums: Any, array: Any, at: Any, step: Any, codes: Any, codes_at: Any, codes_step: Any
) -> tuple[Any, Callable[..., Any]]:
    """Write the largest of each filter's four outputs and zero, and its code: its index, −1 for zero."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, marks = (array_pointer(context, builder, signature, args, i) for i in (1, 4))
        for i in range(sums.count // 4):
            best, code_of_best = ir.Constant(VECTOR, None), _codes(-1)
            for corner in range(4):
                value = builder.extract_value(args[0], 4 * i + corner)
                larger = builder.fcmp_ordered(">", value, best)
                best = builder.select(larger, value, best)
                code_of_best = builder.select(larger, _codes(corner), code_of_best)
            store_at(builder, target, builder.mul(args[3], args[3].type(i)), best)
            store_at(builder, marks, builder.mul(args[6], args[6].type(i)), builder.bitcast(code_of_best, VECTOR))
        return context.get_dummy_value()

    return types.void(sums, array, types.intp, types.intp, codes, types.intp, types.intp), code


@llvm_function
def spread(typing: Any, slope: Any, codes: Any, array: Any, at: Any, row: Any) -> tuple[Any, Callable[..., Any]]:
    """Write a pooled output's slope to the corner of its code and zero to the others; return the slope written."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, row = array_pointer(context, builder, signature, args, 2), args[4]
        codes, nothing = builder.bitcast(args[1], CODES), ir.Constant(VECTOR, None)
        for corner, (y, x) in enumerate(CORNERS):
            value = builder.select(builder.icmp_signed("==", codes, _codes(corner)), args[0], nothing)
            store_at(builder, pointer, builder.add(builder.mul(row, row.type(y)), row.type(x)), value)
        return builder.select(builder.icmp_signed(">=", codes, _codes(0)), args[0], nothing)

    return lanes(lanes, lanes, array, types.intp, types.intp), code


@llvm_function
def write(typing: Any, sums: Any, array: Any, at: Any, row: Any, step: Any) -> tuple[Any, Callable[..., Any]]:
    """Write each filter's 2×2 outputs."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, row = array_pointer(context, builder, signature, args, 1), args[3]
        for i, (corner, (y, x)) in product(range(sums.count // 4), enumerate(CORNERS)):
            inside = builder.add(builder.mul(row, row.type(y)), row.type(x))
            value = builder.extract_value(args[0], 4 * i + corner)
            store_at(builder, pointer, builder.add(inside, builder.mul(args[4], args[4].type(i))), value)
        return context.get_dummy_value()

    return types.void(sums, array, types.intp, types.intp, types.intp), code


@llvm_function
def write_taps(typing: Any, sums: Any, array: Any, at: Any, step: Any) -> tuple[Any, Callable[..., Any]]:
    """Write the nine sums of each filter."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = array_pointer(context, builder, signature, args, 1)
        for i, number in product(range(sums.count // 9), range(9)):
            offset = builder.add(builder.mul(args[3], args[3].type(i)), args[3].type(number))
            store_at(builder, pointer, offset, builder.extract_value(args[0], 9 * i + number))
        return context.get_dummy_value()

    return types.void(sums, array, types.intp, types.intp), code


def _codes(value: int) -> Any:
    return ir.Constant(CODES, [value] * CODES.count)


def _make_begin(filters: int) -> Any:
    @llvm_function
    def begin(typing: Any, biases: Any, first: Any) -> tuple[Any, Callable[..., Any]]:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(biases)(context, builder, args[0]).data
            values = []
            for i in range(filters):
                pointer = builder.gep(data, [builder.add(args[1], args[1].type(i))])
                values += [splat_of(builder, builder.load(pointer))] * 4
            return _pack(builder, values)

        return types.UniTuple(lanes, 4 * filters)(biases, types.intp), code

    return begin


def _make_zeros(count: int) -> Any:
    @llvm_function
    def nothing(typing: Any) -> tuple[Any, Callable[..., Any]]:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _pack(builder, [ir.Constant(VECTOR, None)] * count)

        return types.UniTuple(lanes, count)(), code

    return nothing


# Sums that begin with a filter's bias at each of its outputs, and sums that begin with zero.
begin_one, begin_four = _make_begin(1), _make_begin(4)
nine_zeros, eighteen_zeros = _make_zeros(9), _make_zeros(18)
