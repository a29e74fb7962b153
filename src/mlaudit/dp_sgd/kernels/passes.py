"""Forward and backward pass of sixteen examples, one in each lane, and the clipped sum of their gradients.

Each example's gradients of the convolutions are stored until they are clipped. Those of the linear layer are not:
they are outer products, whose norm is the product of the norms. A `slope` is a derivative of the loss.
"""

import math
from typing import Any

import numpy as np

from mlaudit.dp_sgd.kernels.lanes import load, muladd, splat, store
from mlaudit.dp_sgd.kernels.layout import LANES, Block
from mlaudit.dp_sgd.kernels.tiles import (
    begin_four,
    begin_one,
    convolve,
    correlate,
    eighteen_zeros,
    nine_zeros,
    pool,
    spread,
    write,
    write_taps,
)
from mlaudit.kernels.jit import fused

_STABLE = np.float32(1e-6)  # added to a norm before the division, as in Opacus


@fused
def gather(layout: Any, memory: Any, images: Any, rows: Any) -> None:
    """Copy up to sixteen images into the lanes; lanes without an image repeat the first."""
    side, row, border = layout.side, layout.pixels_row, layout.border
    for lane in range(LANES):
        image = images[rows[lane if lane < len(rows) else 0]]
        for c in range(layout.channels):
            for y in range(side):
                to = (layout.pixels_at + (c * row + y + border) * row + border) * LANES + lane
                start = (c * side + y) * side
                for x in range(side):
                    memory[to + x * LANES] = image[start + x]


@fused
def forward(layout: Any, memory: Any, weights: Any) -> None:
    """Compute the logits from the pixels."""
    for block in range(len(layout.blocks)):
        _convolve_and_pool(layout.blocks[block], memory, weights)
    for k in range(layout.classes):
        sums = splat(weights[layout.linear_at + layout.classes * layout.features + k])
        for j in range(layout.features):
            weight = splat(weights[layout.linear_at + k * layout.features + j])
            sums = muladd(weight, load(memory, layout.features_at + j), sums)
        store(memory, layout.logits_at + k, sums)


@fused
def _convolve_and_pool(block: Any, memory: Any, weights: Any) -> None:
    channels, filters, side, row, source, out, out_row, border, codes = block[: Block.SLOPES]
    weights_at, biases_at = block[Block.WEIGHTS], block[Block.BIASES]
    half, image, each = side // 2, row * row, channels * 9
    pixels, out_image = half * half, out_row * out_row
    whole = filters - filters % 4
    for y in range(half):
        for x in range(half):
            corner = source + 2 * y * row + 2 * x
            to, mark = out + (y + border) * out_row + x + border, codes + y * half + x
            for f in range(0, whole, 4):
                four = begin_four(weights, biases_at + f)
                for c in range(channels):
                    first = weights_at + (f * channels + c) * 9
                    four = convolve(four, memory, corner + c * image, row, weights, first, each)
                pool(four, memory, to + f * out_image, out_image, memory, mark + f * pixels, pixels)
            for f in range(whole, filters):
                one = begin_one(weights, biases_at + f)
                for c in range(channels):
                    first = weights_at + (f * channels + c) * 9
                    one = convolve(one, memory, corner + c * image, row, weights, first, each)
                pool(one, memory, to + f * out_image, 0, memory, mark + f * pixels, 0)


@fused
def set_loss_slopes(layout: Any, memory: Any, labels: Any, rows: Any) -> None:
    """Set the slopes of the logits: softmax minus the label's indicator; zero in lanes without an example."""
    for lane in range(LANES):
        top = memory[layout.logits_at * LANES + lane]
        for k in range(1, layout.classes):
            top = max(top, memory[(layout.logits_at + k) * LANES + lane])
        total = np.float32(0.0)
        for k in range(layout.classes):
            e = np.float32(math.exp(memory[(layout.logits_at + k) * LANES + lane] - top))
            memory[(layout.slopes_at + k) * LANES + lane] = e
            total += e
        used = np.float32(1.0 if lane < len(rows) else 0.0)
        for k in range(layout.classes):
            right = np.float32(1.0 if lane < len(rows) and labels[rows[lane]] == k else 0.0)
            offset = (layout.slopes_at + k) * LANES + lane
            memory[offset] = used * memory[offset] / total - right


@fused
def backward(layout: Any, memory: Any, weights: Any, rotated: Any, no_biases: Any) -> None:
    """Compute every example's gradient of every convolution from the slopes of the logits."""
    if len(layout.blocks) == 0:
        return
    for j in range(layout.features):
        slope = splat(np.float32(0.0))
        for k in range(layout.classes):
            weight = splat(weights[layout.linear_at + k * layout.features + j])
            slope = muladd(weight, load(memory, layout.slopes_at + k), slope)
        store(memory, layout.features_slope_at + j, slope)
    for block in range(len(layout.blocks) - 1, -1, -1):
        _unpool(layout.blocks[block], memory, layout.gradients_at)
        _set_weight_slopes(layout.blocks[block], memory, layout.gradients_at)
        if block > 0:
            _set_input_slopes(layout.blocks[block], layout.blocks[block - 1], memory, rotated, no_biases)


@fused
def _unpool(block: Any, memory: Any, gradients_at: Any) -> None:
    """Write the slope of every pooled output to the output it came from; the sums are the biases' gradients."""
    filters, half, row = block[Block.FILTERS], block[Block.SIDE] // 2, block[Block.ROW]
    codes, slopes, slope_row, wide = block[Block.CODES : Block.WEIGHTS]
    one = splat(np.float32(1.0))
    for f in range(filters):
        bias = splat(np.float32(0.0))
        for y in range(half):
            for x in range(half):
                slope = load(memory, slopes + (f * slope_row + y) * slope_row + x)
                code = load(memory, codes + (f * half + y) * half + x)
                offset = wide + (f * row + 2 * y + 1) * row + 2 * x + 1
                bias = muladd(one, spread(slope, code, memory, offset, row), bias)
        store(memory, gradients_at + block[Block.BIASES] + f, bias)


@fused
def _set_weight_slopes(block: Any, memory: Any, gradients_at: Any) -> None:
    channels, filters, side, row, source = block[: Block.OUT]
    half, image, wide = side // 2, row * row, block[Block.WIDE] + row + 1
    even = filters - filters % 2
    for c in range(channels):
        for f in range(0, even, 2):
            two = eighteen_zeros()
            for y in range(half):
                for x in range(half):
                    corner = 2 * y * row + 2 * x
                    here, there = source + c * image + corner, wide + f * image + corner
                    two = correlate(two, memory, here, memory, there, row, image)
            write_taps(two, memory, gradients_at + block[Block.WEIGHTS] + (f * channels + c) * 9, channels * 9)
        for f in range(even, filters):
            one = nine_zeros()
            for y in range(half):
                for x in range(half):
                    corner = 2 * y * row + 2 * x
                    here, there = source + c * image + corner, wide + f * image + corner
                    one = correlate(one, memory, here, memory, there, row, image)
            write_taps(one, memory, gradients_at + block[Block.WEIGHTS] + (f * channels + c) * 9, 0)


@fused
def _set_input_slopes(block: Any, before: Any, memory: Any, rotated: Any, no_biases: Any) -> None:
    """Set the slopes of the inputs: a convolution of the slopes with the rotated weights, without biases."""
    channels, filters, side, row = block[: Block.SOURCE]
    wide, weights_at, to, to_row = (
        block[Block.WIDE],
        block[Block.WEIGHTS],
        before[Block.SLOPES],
        before[Block.SLOPE_ROW],
    )
    image, each = row * row, filters * 9
    whole = channels - channels % 4
    for y in range((side + 1) // 2):
        for x in range((side + 1) // 2):
            corner = wide + 2 * y * row + 2 * x
            offset = to + 2 * y * to_row + 2 * x
            for c in range(0, whole, 4):
                four = begin_four(no_biases, 0)
                for f in range(filters):
                    first = weights_at + (c * filters + f) * 9
                    four = convolve(four, memory, corner + f * image, row, rotated, first, each)
                write(four, memory, offset + c * to_row * to_row, to_row, to_row * to_row)
            for c in range(whole, channels):
                one = begin_one(no_biases, 0)
                for f in range(filters):
                    first = weights_at + (c * filters + f) * 9
                    one = convolve(one, memory, corner + f * image, row, rotated, first, each)
                write(one, memory, offset + c * to_row * to_row, to_row, 0)


@fused
def rotate_weights(layout: Any, weights: Any, rotated: Any) -> None:
    """Set rotated to the weights with input channels first and every 3×3 kernel rotated by 180°."""
    for block in range(len(layout.blocks)):
        channels, filters, start = (
            layout.blocks[block, Block.CHANNELS],
            layout.blocks[block, Block.FILTERS],
            layout.blocks[block, Block.WEIGHTS],
        )
        for f in range(filters):
            for c in range(channels):
                for tap in range(9):
                    rotated[start + (c * filters + f) * 9 + 8 - tap] = weights[start + (f * channels + c) * 9 + tap]


@fused
def clip_into_sums(layout: Any, memory: Any, clip: Any, norms: Any) -> None:
    """Set the norm of each lane's gradient, and add the gradient, scaled to at most `clip`, to the sums."""
    square, slopes = splat(np.float32(0.0)), splat(np.float32(0.0))
    for j in range(layout.linear_at):
        g = load(memory, layout.gradients_at + j)
        square = muladd(g, g, square)
    features = splat(np.float32(1.0))  # the bias
    for j in range(layout.features):
        a = load(memory, layout.features_at + j)
        features = muladd(a, a, features)
    for k in range(layout.classes):
        s = load(memory, layout.slopes_at + k)
        slopes = muladd(s, s, slopes)
    store(memory, layout.logits_at, muladd(slopes, features, square))  # the logits have been used
    for lane in range(LANES):
        offset = layout.logits_at * LANES + lane
        norms[lane] = math.sqrt(memory[offset])
        memory[offset] = min(np.float32(1.0), clip / (norms[lane] + _STABLE))
    scale = load(memory, layout.logits_at)
    for j in range(layout.linear_at):
        store(
            memory,
            layout.sums_at + j,
            muladd(scale, load(memory, layout.gradients_at + j), load(memory, layout.sums_at + j)),
        )
    zero = splat(np.float32(0.0))
    for k in range(layout.classes):
        s = muladd(scale, load(memory, layout.slopes_at + k), zero)
        start = layout.sums_at + layout.linear_at + k * layout.features
        for j in range(layout.features):
            store(memory, start + j, muladd(s, load(memory, layout.features_at + j), load(memory, start + j)))
        bias = layout.sums_at + layout.linear_at + layout.classes * layout.features + k
        store(memory, bias, muladd(s, splat(np.float32(1.0)), load(memory, bias)))
