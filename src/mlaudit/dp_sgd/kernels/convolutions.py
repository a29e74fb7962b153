"""One convolution for sixteen examples: forward with its pooling, and the gradients of its weights and inputs.

A `slope` is a derivative of the loss.
"""

from typing import Any

import numpy as np

from mlaudit.dp_sgd.kernels.layout import Block
from mlaudit.dp_sgd.kernels.tiles import correlate, keep_living, pool, read_taps, spread, write, write_taps
from mlaudit.dp_sgd.kernels.winograd import FILTERS, KERNEL, add_channel, begin, finish, transform_kernel
from mlaudit.kernels.jit import fused, inlined
from mlaudit.kernels.lanes import add, load, splat, store

_TILES_AT_ONCE = 64  # their inputs stay in the L1 cache while filter after filter is correlated with them


@fused
def convolve_and_pool(block: Any, memory: Any, kernels: Any) -> None:
    """Set the pooled outputs of a convolution, and which outputs they are."""
    channels, filters, side, row, source, out, out_row, border, codes = block[: Block.SLOPES]
    half, step = side // 2, out_row * out_row
    for y in range(half):
        for x in range(half):
            corner = source + 2 * y * row + 2 * x
            to, mark = out + (y + border) * out_row + x + border, codes + y * half + x
            for f in range(0, filters, FILTERS):
                outputs = _outputs(memory, corner, row, channels, kernels, block[Block.KERNELS], f)
                pool(outputs, memory, to + f * step, step, memory, mark + f * half * half, half * half)


@inlined
def _outputs(memory: Any, corner: Any, row: Any, channels: Any, kernels: Any, start: Any, f: Any) -> Any:
    """Return a tile of 2×2 outputs of filter f and the one after it."""
    each = 1 + KERNEL * channels
    first = start + f * each
    sums = begin(kernels, first, each)
    for c in range(channels):
        sums = add_channel(sums, memory, corner + c * row * row, row, kernels, first + 1 + KERNEL * c, each)
    return finish(sums)


@fused
def set_bias_slopes(block: Any, memory: Any, gradients_at: Any) -> None:
    """Set the slopes of the biases, and to zero the slopes of pooled outputs that are zero: no input moves them."""
    filters, half, slope_row = block[Block.FILTERS], block[Block.SIDE] // 2, block[Block.SLOPE_ROW]
    for f in range(filters):
        bias = splat(np.float32(0.0))
        for y in range(half):
            for x in range(half):
                at = block[Block.SLOPES] + (f * slope_row + y) * slope_row + x
                slope = keep_living(load(memory, at), load(memory, block[Block.CODES] + (f * half + y) * half + x))
                store(memory, at, slope)
                bias = add(bias, slope)
        store(memory, gradients_at + block[Block.BIASES] + f, bias)


@fused
def set_weight_slopes(block: Any, memory: Any, gradients_at: Any) -> None:
    """Set the slopes of the weights, some rows of tiles after the other."""
    channels, filters, half = block[Block.CHANNELS], block[Block.FILTERS], block[Block.SIDE] // 2
    start = gradients_at + block[Block.WEIGHTS]
    for i in range(filters * channels * 9):
        store(memory, start + i, splat(np.float32(0.0)))
    rows = max(1, _TILES_AT_ONCE // half)
    for y in range(0, half, rows):
        for c in range(channels):
            for f in range(filters):
                _add_weight_slopes(block, memory, start + (f * channels + c) * 9, f, c, y, min(half, y + rows))


@inlined
def _add_weight_slopes(block: Any, memory: Any, to: Any, f: Any, c: Any, top: Any, end: Any) -> None:
    """Add the contribution of rows of tiles to the slopes of a filter's weights for one channel."""
    half, row, slope_row = block[Block.SIDE] // 2, block[Block.ROW], block[Block.SLOPE_ROW]
    sums = read_taps(memory, to)
    for y in range(top, end):
        corner = block[Block.SOURCE] + (c * row + 2 * y) * row
        slopes = block[Block.SLOPES] + (f * slope_row + y) * slope_row
        codes = block[Block.CODES] + (f * half + y) * half
        for x in range(half):
            slope, code = load(memory, slopes + x), load(memory, codes + x)
            sums = correlate(sums, slope, code, memory, corner + 2 * x, row)
    write_taps(sums, memory, to)


@fused
def _unpool(block: Any, memory: Any) -> None:
    """Write the slope of every pooled output to the output it came from."""
    half, row, slope_row = block[Block.SIDE] // 2, block[Block.ROW], block[Block.SLOPE_ROW]
    for f in range(block[Block.FILTERS]):
        for y in range(half):
            for x in range(half):
                slope = load(memory, block[Block.SLOPES] + (f * slope_row + y) * slope_row + x)
                code = load(memory, block[Block.CODES] + (f * half + y) * half + x)
                spread(slope, code, memory, block[Block.WIDE] + (f * row + 2 * y + 1) * row + 2 * x + 1, row)


@fused
def set_input_slopes(block: Any, before: Any, memory: Any, kernels: Any) -> None:
    """Set the slopes of the inputs: a convolution of the slopes with the rotated weights, without biases."""
    channels, filters, side, row = block[: Block.SOURCE]
    to_row = before[Block.SLOPE_ROW]
    _unpool(block, memory)
    for y in range((side + 1) // 2):
        for x in range((side + 1) // 2):
            corner, to = block[Block.WIDE] + 2 * y * row + 2 * x, before[Block.SLOPES] + 2 * y * to_row + 2 * x
            for c in range(0, channels, FILTERS):
                outputs = _outputs(memory, corner, row, filters, kernels, block[Block.TURNED], c)
                write(outputs, memory, to + c * to_row * to_row, to_row, to_row * to_row)


@fused
def transform_weights(layout: Any, weights: Any, kernels: Any) -> None:
    """Set the transformed weights of all convolutions, and those of the rotated weights for the way back."""
    for number in range(len(layout.blocks)):
        block = layout.blocks[number]
        channels, filters = block[Block.CHANNELS], block[Block.FILTERS]
        for f in range(filters):
            forth = block[Block.KERNELS] + f * (1 + KERNEL * channels)
            kernels[forth] = weights[block[Block.BIASES] + f]
            for c in range(channels):
                back = block[Block.TURNED] + c * (1 + KERNEL * filters) + 1 + KERNEL * f
                first = block[Block.WEIGHTS] + (f * channels + c) * 9
                transform_kernel(weights, first, kernels, forth + 1 + KERNEL * c, back)
