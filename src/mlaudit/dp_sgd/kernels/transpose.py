"""Copies sixteen images into the lanes: numbers that lie image by image become a vector for each pixel.

Sixteen pixels of sixteen images are exchanged in registers: one number at a time, it took a ninth of a training.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from mlaudit.dp_sgd.kernels.layout import LANES
from mlaudit.kernels.jit import fused
from mlaudit.kernels.lanes import CODES, VECTOR, array_pointer, llvm_function, store_at


def _interleave(builder: Any, vectors: list[Any], width: int) -> list[Any]:
    """Exchange the odd blocks of `width` numbers of each vector with the even blocks of the one `width` after it."""
    made = list(vectors)
    for i in range(LANES):
        if i & width == 0:
            kept = [j if j & width == 0 else j - width + LANES for j in range(LANES)]
            moved = [j + width if j & width == 0 else j + LANES for j in range(LANES)]
            for to, order in ((i, kept), (i + width, moved)):
                mask = ir.Constant(CODES, order)
                made[to] = builder.shuffle_vector(vectors[i], vectors[i + width], mask)
    return made


@llvm_function
def _transpose(
    typing: Any, images: Any, starts: Any, first: Any, array: Any, at: Any
) -> tuple[Any, Callable[..., Any]]:
    """Write sixteen vectors: number `first` and the fifteen after it of the images that begin at `starts`."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(images)(context, builder, args[0]).data
        offsets = context.make_array(starts)(context, builder, args[1]).data
        target = array_pointer(context, builder, signature, args, 3)
        vectors = []
        for lane in range(LANES):
            start = builder.load(builder.gep(offsets, [args[2].type(lane)]))
            begin = builder.gep(data, [builder.add(start, args[2])])
            vectors.append(builder.load(builder.bitcast(begin, VECTOR.as_pointer()), align=4))
        for width in (1, 2, 4, 8):
            vectors = _interleave(builder, vectors, width)
        for i, vector in enumerate(vectors):
            store_at(builder, target, args[4].type(i), vector)
        return context.get_dummy_value()

    return types.void(images, starts, types.intp, array, types.intp), code


@fused
def gather(layout: Any, memory: Any, images: Any, rows: Any) -> None:
    """Copy up to sixteen images into the lanes; lanes without an image repeat the first."""
    side, row, border, pixels = layout.side, layout.pixels_row, layout.border, images.shape[1]
    flat, starts = images.reshape(-1), np.empty(LANES, np.int64)
    for lane in range(LANES):
        starts[lane] = rows[lane if lane < len(rows) else 0] * pixels
    for c in range(layout.channels):
        for y in range(side):
            first, to = (c * side + y) * side, layout.pixels_at + (c * row + y + border) * row + border
            if side < LANES:
                _copy_row(flat, starts, first, memory, to, side)
                continue
            for x in range(0, side, LANES):
                start = min(x, side - LANES)  # the last sixteen may overlap those before
                _transpose(flat, starts, first + start, memory, to + start)


@fused
def _copy_row(flat: Any, starts: Any, first: Any, memory: Any, to: Any, side: Any) -> None:
    """Copy a row of fewer than sixteen pixels."""
    for x in range(side):
        for lane in range(LANES):
            memory[(to + x) * LANES + lane] = flat[starts[lane] + first + x]
