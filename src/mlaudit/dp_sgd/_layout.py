"""Where everything lies in the one array a kernel works in; places count vectors of sixteen lanes."""

from typing import NamedTuple

import numpy as np

from mlaudit.dp_sgd.network import Network
from mlaudit.types.arrays import Float32Array, IntArray

LANES = 16
_CACHE_LINE = 64


class Layout(NamedTuple):
    """The blocks, a row of `blocks` for each (see `layout_of`), and what comes behind them."""

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
    size: int


def padded(side: int) -> int:
    """The side of an image with a border of zeros, even, so that tiles of 2 × 2 cover it."""
    return side + 2 + side % 2


def layout_of(network: Network) -> Layout:
    """Every place, one behind the other."""
    places = _Places()
    border = int(bool(network.filters))
    channels, side = network.shape[:2]
    row = padded(side) if border else side
    pixels_at = source = places.take(channels * row**2)
    blocks = []
    for i, layer in enumerate(network.layers[:-1]):
        side, after, last = network.sides[i], network.sides[i + 1], i == len(network.filters) - 1
        out_row = after if last else padded(after)
        slope_row = after if last else after + after % 2
        out = places.take(layer.outputs * out_row**2)
        codes, slopes = places.take(layer.outputs * after**2), places.take(layer.outputs * slope_row**2)
        wide = places.take(layer.outputs * padded(side) ** 2)
        shapes = (layer.inputs, layer.outputs, side, padded(side), source, out, out_row, int(not last))
        blocks.append((*shapes, codes, slopes, slope_row, wide, layer.weights_at, layer.biases_at))
        source = out
    linear = network.layers[-1]
    features_slope = blocks[-1][9] if blocks else places.take(linear.inputs)
    return Layout(
        np.array(blocks, dtype=np.int64).reshape(len(blocks), 14),
        pixels_at,
        row,
        border,
        network.shape[0],
        network.shape[1],
        source,
        linear.inputs,
        linear.outputs,
        linear.weights_at,
        places.take(linear.outputs),
        places.take(linear.outputs),
        features_slope,
        places.take(network.size),
        places.take(network.size),
        places.end,
        network.size,
    )


class _Places:
    """Hands out stretches of the array."""

    end = 0

    def take(self, vectors: int) -> int:
        at = self.end
        self.end += vectors
        return at


def room_for(layout: Layout) -> Float32Array:
    """The array, zero everywhere, at the start of a cache line."""
    whole = np.zeros(layout.vectors * LANES + LANES, dtype=np.float32)
    ahead = -whole.ctypes.data % _CACHE_LINE // whole.itemsize
    return whole[ahead : ahead + layout.vectors * LANES]
