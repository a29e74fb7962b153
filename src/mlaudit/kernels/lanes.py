"""A numba type for sixteen float32 lanes as one LLVM vector, one example in each lane.

Kernels read and write their array by whole vectors; `at` counts vectors. Products are fused with sums if the
processor can. LLVM vectors are used because numba does not reliably vectorise loops over lanes, and when it does, it
keeps sums in memory instead of registers.
"""

from collections.abc import Callable
from typing import Any

from mlaudit.kernels import jit  # noqa: F401 - numba, or the error that names the extra  # isort: skip
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES = 16
FLOAT = ir.FloatType()
VECTOR = ir.VectorType(FLOAT, LANES)
CODES = ir.VectorType(ir.IntType(32), LANES)


class _Lanes(types.Type):  # type: ignore[misc]  # numba has no types for mypy
    def __init__(self) -> None:
        super().__init__(name="Lanes")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]  # as above
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


lanes = _Lanes()


def llvm_function(function: Callable[..., tuple[Any, Callable[..., Any]]]) -> Any:
    """Make a function whose LLVM code is written by hand callable from kernels; they omit the typing context."""
    return intrinsic(function)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(builder.bitcast(data, VECTOR.as_pointer()), [at])


def load_at(builder: Any, pointer: Any, offset: Any) -> Any:
    """Load the vector at an offset, in vectors, behind a pointer."""
    return builder.load(builder.gep(pointer, [offset]), align=4)


def store_at(builder: Any, pointer: Any, offset: Any, value: Any) -> None:
    """Write a vector at an offset, in vectors, behind a pointer."""
    builder.store(value, builder.gep(pointer, [offset]), align=4)


def splat_of(builder: Any, number: Any) -> Any:
    """Return a vector with one number in every lane."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.IntType(32)(0))
    zeros = ir.Constant(CODES, None)
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), zeros)


def splat_at(builder: Any, pointer: Any, offset: Any) -> Any:
    """Return a vector with the number at an offset in every lane."""
    return splat_of(builder, builder.load(builder.gep(pointer, [offset])))


def unpack(builder: Any, values: Any, count: int) -> list[Any]:
    """Return the vectors of a tuple."""
    return [builder.extract_value(values, i) for i in range(count)]


def pack(builder: Any, values: list[Any]) -> Any:
    """Return a tuple of vectors."""
    made = ir.Constant(ir.ArrayType(VECTOR, len(values)), ir.Undefined)
    for i, value in enumerate(values):
        made = builder.insert_value(made, value, i)
    return made


def multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c."""
    kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{LANES}f32")
    return builder.call(function, [a, b, c])


def array_pointer(context: Any, builder: Any, signature: Any, args: Any, which: int) -> Any:
    """Return a pointer to the vector at (args[which], args[which + 1])."""
    return _pointer(context, builder, signature.args[which], args[which], args[which + 1])


@llvm_function
def load(typing: Any, array: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    """Load the vector at an offset."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, array, args[0], args[1]), align=4)

    return lanes(array, types.intp), code


@llvm_function
def store(typing: Any, array: Any, at: Any, value: Any) -> tuple[Any, Callable[..., Any]]:
    """Write a vector at an offset."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, array, args[0], args[1]), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), code


@llvm_function
def splat(typing: Any, number: Any) -> tuple[Any, Callable[..., Any]]:
    """Return a vector with one number in every lane."""
    return lanes(types.float32), lambda _, builder, __, args: splat_of(builder, args[0])


@llvm_function
def muladd(typing: Any, a: Any, b: Any, c: Any) -> tuple[Any, Callable[..., Any]]:
    """Return a·b + c in every lane."""
    return lanes(lanes, lanes, lanes), lambda _, builder, __, args: multiply_add(builder, *args)


@llvm_function
def add(typing: Any, a: Any, b: Any) -> tuple[Any, Callable[..., Any]]:
    """Return a + b in every lane."""
    return lanes(lanes, lanes), lambda _, builder, __, args: builder.fadd(*args)


@llvm_function
def total(typing: Any, value: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the sum of the lanes, added in pairs, always in the same order."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums = [builder.extract_element(args[0], ir.IntType(32)(i)) for i in range(LANES)]
        while len(sums) > 1:
            sums = [builder.fadd(a, b) for a, b in zip(sums[::2], sums[1::2], strict=True)]
        return sums[0]

    return types.float32(lanes), code
