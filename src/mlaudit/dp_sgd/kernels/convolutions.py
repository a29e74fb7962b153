"""One convolution for sixteen examples: forward with its pooling, and the gradients of its weights and inputs.

A `slope` is a derivative of the loss.
"""

from typing import Any

import numpy as np

from mlaudit.dp_sgd.kernels.lanes import load, muladd, splat, store
from mlaudit.dp_sgd.kernels.layout import Block
from mlaudit.dp_sgd.kernels.tiles import correlate, keep_living, pool, read_taps, spread, write, write_taps
from mlaudit.dp_sgd.kernels.winograd import FILTERS, TILES, multiply, outputs_of, transform_tiles
from mlaudit.kernels.jit import fused, inlined

_TILES_AT_ONCE = 32  # their inputs stay in the L1 cache while filter after filter is correlated with them


@fused
def convolve_and_pool(block: Any, memory: Any, kernels: Any, work: Any) -> None:
    """Set the pooled outputs of a convolution, and which outputs they are."""
    channels, filters, side, row, source, out, out_row, border, codes = block[: Block.SLOPES]
    kernels_at, half = block[Block.KERNELS], side // 2
    for y in range(half):
        for x in range(0, half, TILES):
            tiles = min(TILES, half - x)
            transform_tiles(memory, source + 2 * y * row + 2 * x, row, channels, tiles, work)
            for f in range(0, filters, FILTERS):
                multiply(memory, work, channels, kernels, kernels_at + f * (4 * channels + 1), filters)
                for g in range(min(FILTERS, filters - f)):
                    for t in range(tiles):
                        to = out + ((f + g) * out_row + y + border) * out_row + x + t + border
                        mark = codes + ((f + g) * half + y) * half + x + t
                        pool(outputs_of(memory, work, channels, g, t), memory, to, memory, mark)


@fused
def set_bias_slopes(block: Any, memory: Any, gradients_at: Any) -> None:
    """Set the slopes of the biases, and set the slopes of pooled outputs that are zero to zero."""
    filters, half, slope_row = block[Block.FILTERS], block[Block.SIDE] // 2, block[Block.SLOPE_ROW]
    one = splat(np.float32(1.0))
    for f in range(filters):
        bias = splat(np.float32(0.0))
        for y in range(half):
            for x in range(half):
                at = block[Block.SLOPES] + (f * slope_row + y) * slope_row + x
                slope = keep_living(load(memory, at), load(memory, block[Block.CODES] + (f * half + y) * half + x))
                store(memory, at, slope)
                bias = muladd(one, slope, bias)
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
        for f in range(filters):
            for c in range(channels):
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
def set_input_slopes(block: Any, before: Any, memory: Any, kernels: Any, work: Any) -> None:
    """Set the slopes of the inputs: a convolution of the slopes with the rotated weights, without biases."""
    channels, filters, side, row = block[: Block.SOURCE]
    wide, kernels_at, to_row, tiles_row = (
        block[Block.WIDE],
        block[Block.TURNED],
        before[Block.SLOPE_ROW],
        (side + 1) // 2,
    )
    _unpool(block, memory)
    for y in range(tiles_row):
        for x in range(0, tiles_row, TILES):
            tiles = min(TILES, tiles_row - x)
            transform_tiles(memory, wide + 2 * y * row + 2 * x, row, filters, tiles, work)
            for c in range(0, channels, FILTERS):
                multiply(memory, work, filters, kernels, kernels_at + c * (4 * filters + 1), channels)
                for g in range(min(FILTERS, channels - c)):
                    for t in range(tiles):
                        to = before[Block.SLOPES] + ((c + g) * to_row + 2 * y) * to_row + 2 * (x + t)
                        write(outputs_of(memory, work, filters, g, t), memory, to, to_row)


@fused
def transform_weights(layout: Any, weights: Any, kernels: Any) -> None:
    """Set the transformed kernels of all convolutions, and those of the rotated weights for the way back."""
    for number in range(len(layout.blocks)):
        block = layout.blocks[number]
        channels, filters = block[Block.CHANNELS], block[Block.FILTERS]
        each, each_back = 4 * channels + 1, 4 * filters + 1
        rows, rows_back = filters + filters % FILTERS, channels + channels % FILTERS
        for f in range(filters):
            kernels[block[Block.KERNELS] + (rows + f) * each] = weights[block[Block.BIASES] + f]
            for c in range(channels):
                to = block[Block.KERNELS] + f * each + 1 + 4 * c
                back = block[Block.TURNED] + c * each_back + 1 + 4 * f
                first = block[Block.WEIGHTS] + (f * channels + c) * 9
                _transform_kernel(weights[first : first + 9], kernels, to, rows * each, back, rows_back * each_back)


@inlined
def _transform_kernel(w: Any, kernels: Any, to: Any, step: Any, back: Any, step_back: Any) -> None:
    """Write G·w·Gᵀ; to rotate w by 180° exchanges the first and last row and column."""
    across = _apply(w[0:3]), _apply(w[3:6]), _apply(w[6:9])
    for j in range(4):
        column = _apply((across[0][j], across[1][j], across[2][j]))
        turned = j if j in (1, 2) else 3 - j
        for i in range(4):
            kernels[to + i * step + j] = column[i]
            kernels[back + (i if i in (1, 2) else 3 - i) * step_back + turned] = column[i]


@inlined
def _apply(w: Any) -> Any:
    """G·w: Winograd's matrix for kernels."""
    half = np.float32(0.5)
    return w[0], half * (w[0] + w[1] + w[2]), half * (w[0] - w[1] + w[2]), w[2]
