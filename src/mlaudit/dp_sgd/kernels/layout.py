"""Offsets in the one array that a kernel works in, counted in vectors of sixteen lanes."""

from enum import IntEnum, auto
from typing import NamedTuple

import numpy as np

from mlaudit.dp_sgd.kernels.winograd import even, transformed_size
from mlaudit.dp_sgd.network import Network
from mlaudit.types.arrays import Float32Array, IntArray

LANES = 16
_CACHE_LINE = 64


class Block(IntEnum):
    """The columns of `Layout.blocks`: sizes and offsets of one convolution with its pooling."""

    CHANNELS = 0
    FILTERS = auto()
    SIDE = auto()  # of the input
    ROW = auto()  # vectors in a padded row of the input
    SOURCE = auto()  # the input
    OUT = auto()  # the pooled output
    OUT_ROW = auto()
    BORDER = auto()  # of the output: 1 if another convolution follows
    CODES = auto()  # which of four outputs was the largest
    SLOPES = auto()  # of the loss, by pooled output
    SLOPE_ROW = auto()
    WIDE = auto()  # the slopes before pooling; none for the first convolution
    KERNELS = auto()  # the transformed weights, in an array of their own
    TURNED = auto()  # those of the rotated weights
    WEIGHTS = auto()
    BIASES = auto()


class Layout(NamedTuple):
    """Offsets and sizes: a row of `blocks` for each convolution (columns: `Block`), then those of the other parts."""

    blocks: IntArray
    pixels_at: int
    pixels_row: int
    border: int
    channels: int
    side: int
    features_at: int
    features: int
    classes: int
    linear_at: int
    logits_at: int
    slopes_at: int
    features_slope_at: int
    gradients_at: int
    sums_at: int
    vectors: int
    kernels: int
    size: int


def padded(side: int) -> int:
    """Return the side of an image with a border of zeros, made even so that tiles of 2 × 2 cover it."""
    return side + 2 + side % 2


def layout_of(network: Network) -> Layout:
    """Assign consecutive offsets to all parts of a network's computation.

    Convolutions compute an even number of filters, so their outputs and slopes have room for one more.
    """
    memory, kernels = _Allocator(), _Allocator()
    border = int(bool(network.filters))
    channels, side = network.shape[:2]
    row = padded(side) if border else side
    pixels_at = source = memory.take(channels * row**2)
    blocks = []
    for i, layer in enumerate(network.layers[:-1]):
        side, after, last = network.sides[i], network.sides[i + 1], i == len(network.filters) - 1
        out_row = after if last else padded(after)
        slope_row = after if last else after + after % 2
        out = memory.take(even(layer.outputs) * out_row**2)
        codes, slopes = memory.take(even(layer.outputs) * after**2), memory.take(even(layer.outputs) * slope_row**2)
        wide = memory.take(layer.outputs * padded(side) ** 2 * (i > 0))
        transformed = (kernels.take(transformed_size(*sizes)) for sizes in (layer[:2], layer[1::-1]))
        shapes = (layer.inputs, layer.outputs, side, padded(side), source, out, out_row, int(not last))
        blocks.append((*shapes, codes, slopes, slope_row, wide, *transformed, layer.weights_at, layer.biases_at))
        source = out
    linear = network.layers[-1]
    features_slope = blocks[-1][Block.SLOPES] if blocks else memory.take(linear.inputs)
    return Layout(
        np.array(blocks, dtype=np.int64).reshape(len(blocks), len(Block)),
        pixels_at,
        row,
        border,
        network.shape[0],
        network.shape[1],
        source,
        linear.inputs,
        linear.outputs,
        linear.weights_at,
        memory.take(linear.outputs),
        memory.take(linear.outputs),
        features_slope,
        memory.take(network.size),
        memory.take(network.size),
        memory.end,
        kernels.end,
        network.size,
    )


class _Allocator:
    """Assigns consecutive stretches of an array."""

    end = 0

    def take(self, vectors: int) -> int:
        at = self.end
        self.end += vectors
        return at


def allocate_memory(layout: Layout) -> Float32Array:
    """Return the array, filled with zeros, at the start of a cache line."""
    whole = np.zeros(layout.vectors * LANES + LANES, dtype=np.float32)
    ahead = -whole.ctypes.data % _CACHE_LINE // whole.itemsize
    return whole[ahead : ahead + layout.vectors * LANES]
