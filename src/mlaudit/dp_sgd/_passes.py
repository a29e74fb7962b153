"""Sixteen examples through the network and back: the clipped sum of their gradients, one example in each lane.

Each example's gradients of the convolutions are kept until they are clipped. Those of the linear layer are not: the
norm of an outer product is the product of the norms.
"""

import math
from typing import Any

import numpy as np

from mlaudit.dp_sgd._lanes import load, muladd, splat, store
from mlaudit.dp_sgd._layout import LANES
from mlaudit.dp_sgd._tiles import (
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
from mlaudit.samplers._numba import fused

_STABLE = np.float32(1e-6)  # what Opacus adds to a norm before it divides by it


@fused
def gather(at: Any, room: Any, images: Any, rows: Any) -> None:
    """Lay up to sixteen images side by side; lanes without an image repeat the first."""
    side, row, border = at.side, at.pixels_row, at.border
    for lane in range(LANES):
        image = images[rows[lane if lane < len(rows) else 0]]
        for c in range(at.channels):
            for y in range(side):
                to = (at.pixels_at + (c * row + y + border) * row + border) * LANES + lane
                start = (c * side + y) * side
                for x in range(side):
                    room[to + x * LANES] = image[start + x]


@fused
def forward(at: Any, room: Any, weights: Any) -> None:
    """From pixels to logits."""
    for block in range(len(at.blocks)):
        _convolved_and_pooled(at.blocks[block], room, weights)
    for k in range(at.classes):
        sums = splat(weights[at.linear_at + at.classes * at.features + k])
        for j in range(at.features):
            sums = muladd(splat(weights[at.linear_at + k * at.features + j]), load(room, at.features_at + j), sums)
        store(room, at.logits_at + k, sums)


@fused
def _convolved_and_pooled(block: Any, room: Any, weights: Any) -> None:
    channels, filters, side, row, source, out, out_row, border, codes = block[:9]
    weights_at, biases_at = block[12], block[13]
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
                    four = convolve(four, room, corner + c * image, row, weights, first, each)
                pool(four, room, to + f * out_image, out_image, room, mark + f * pixels, pixels)
            for f in range(whole, filters):
                one = begin_one(weights, biases_at + f)
                for c in range(channels):
                    first = weights_at + (f * channels + c) * 9
                    one = convolve(one, room, corner + c * image, row, weights, first, each)
                pool(one, room, to + f * out_image, 0, room, mark + f * pixels, 0)


@fused
def slopes_of_loss(at: Any, room: Any, labels: Any, rows: Any) -> None:
    """Softmax minus the label's indicator; zero in lanes without an example."""
    for lane in range(LANES):
        top = room[at.logits_at * LANES + lane]
        for k in range(1, at.classes):
            top = max(top, room[(at.logits_at + k) * LANES + lane])
        total = np.float32(0.0)
        for k in range(at.classes):
            e = np.float32(math.exp(room[(at.logits_at + k) * LANES + lane] - top))
            room[(at.slopes_at + k) * LANES + lane] = e
            total += e
        used = np.float32(1.0 if lane < len(rows) else 0.0)
        for k in range(at.classes):
            right = np.float32(1.0 if lane < len(rows) and labels[rows[lane]] == k else 0.0)
            place = (at.slopes_at + k) * LANES + lane
            room[place] = used * room[place] / total - right


@fused
def backward(at: Any, room: Any, weights: Any, turned: Any, nothing: Any) -> None:
    """From the slopes of the logits to every example's gradient of every convolution."""
    if len(at.blocks) == 0:
        return
    for j in range(at.features):
        slope = splat(np.float32(0.0))
        for k in range(at.classes):
            slope = muladd(splat(weights[at.linear_at + k * at.features + j]), load(room, at.slopes_at + k), slope)
        store(room, at.features_slope_at + j, slope)
    for block in range(len(at.blocks) - 1, -1, -1):
        _unpooled(at.blocks[block], room, at.gradients_at)
        _weight_slopes(at.blocks[block], room, at.gradients_at)
        if block > 0:
            _input_slopes(at.blocks[block], at.blocks[block - 1], room, turned, nothing)


@fused
def _unpooled(block: Any, room: Any, gradients_at: Any) -> None:
    """The slope of every pooled output back to where it came from, and their sums: the gradients of the biases."""
    filters, half, row = block[1], block[2] // 2, block[3]
    codes, slopes, slope_row, wide = block[8:12]
    one = splat(np.float32(1.0))
    for f in range(filters):
        bias = splat(np.float32(0.0))
        for y in range(half):
            for x in range(half):
                slope = load(room, slopes + (f * slope_row + y) * slope_row + x)
                code = load(room, codes + (f * half + y) * half + x)
                place = wide + (f * row + 2 * y + 1) * row + 2 * x + 1
                bias = muladd(one, spread(slope, code, room, place, row), bias)
        store(room, gradients_at + block[13] + f, bias)


@fused
def _weight_slopes(block: Any, room: Any, gradients_at: Any) -> None:
    channels, filters, side, row, source = block[:5]
    half, image, wide = side // 2, row * row, block[11] + row + 1
    even = filters - filters % 2
    for c in range(channels):
        for f in range(0, even, 2):
            two = eighteen_zeros()
            for y in range(half):
                for x in range(half):
                    corner = 2 * y * row + 2 * x
                    here, there = source + c * image + corner, wide + f * image + corner
                    two = correlate(two, room, here, room, there, row, image)
            write_taps(two, room, gradients_at + block[12] + (f * channels + c) * 9, channels * 9)
        for f in range(even, filters):
            one = nine_zeros()
            for y in range(half):
                for x in range(half):
                    corner = 2 * y * row + 2 * x
                    here, there = source + c * image + corner, wide + f * image + corner
                    one = correlate(one, room, here, room, there, row, image)
            write_taps(one, room, gradients_at + block[12] + (f * channels + c) * 9, 0)


@fused
def _input_slopes(block: Any, before: Any, room: Any, turned: Any, nothing: Any) -> None:
    """A convolution too, of the slopes with the turned weights; `nothing` stands for the biases it has not."""
    channels, filters, side, row = block[:4]
    wide, weights_at, to, to_row = block[11], block[12], before[9], before[10]
    image, each = row * row, filters * 9
    whole = channels - channels % 4
    for y in range((side + 1) // 2):
        for x in range((side + 1) // 2):
            corner = wide + 2 * y * row + 2 * x
            place = to + 2 * y * to_row + 2 * x
            for c in range(0, whole, 4):
                four = begin_four(nothing, 0)
                for f in range(filters):
                    first = weights_at + (c * filters + f) * 9
                    four = convolve(four, room, corner + f * image, row, turned, first, each)
                write(four, room, place + c * to_row * to_row, to_row, to_row * to_row)
            for c in range(whole, channels):
                one = begin_one(nothing, 0)
                for f in range(filters):
                    first = weights_at + (c * filters + f) * 9
                    one = convolve(one, room, corner + f * image, row, turned, first, each)
                write(one, room, place + c * to_row * to_row, to_row, 0)


@fused
def turn(at: Any, weights: Any, turned: Any) -> None:
    """Weights by input channel first, and every 3×3 kernel turned by half a circle."""
    for block in range(len(at.blocks)):
        channels, filters, start = at.blocks[block, 0], at.blocks[block, 1], at.blocks[block, 12]
        for f in range(filters):
            for c in range(channels):
                for tap in range(9):
                    turned[start + (c * filters + f) * 9 + 8 - tap] = weights[start + (f * channels + c) * 9 + tap]


@fused
def clip_into_sums(at: Any, room: Any, clip: Any, norms: Any) -> None:
    """Each lane's norm; then its gradient, scaled to at most `clip`, into the sums."""
    square, slopes = splat(np.float32(0.0)), splat(np.float32(0.0))
    for j in range(at.linear_at):
        g = load(room, at.gradients_at + j)
        square = muladd(g, g, square)
    features = splat(np.float32(1.0))  # the bias
    for j in range(at.features):
        a = load(room, at.features_at + j)
        features = muladd(a, a, features)
    for k in range(at.classes):
        s = load(room, at.slopes_at + k)
        slopes = muladd(s, s, slopes)
    store(room, at.logits_at, muladd(slopes, features, square))  # the logits have been used
    for lane in range(LANES):
        place = at.logits_at * LANES + lane
        norms[lane] = math.sqrt(room[place])
        room[place] = min(np.float32(1.0), clip / (norms[lane] + _STABLE))
    scale = load(room, at.logits_at)
    for j in range(at.linear_at):
        store(room, at.sums_at + j, muladd(scale, load(room, at.gradients_at + j), load(room, at.sums_at + j)))
    zero = splat(np.float32(0.0))
    for k in range(at.classes):
        s = muladd(scale, load(room, at.slopes_at + k), zero)
        start = at.sums_at + at.linear_at + k * at.features
        for j in range(at.features):
            store(room, start + j, muladd(s, load(room, at.features_at + j), load(room, start + j)))
        bias = at.sums_at + at.linear_at + at.classes * at.features + k
        store(room, bias, muladd(s, splat(np.float32(1.0)), load(room, bias)))
