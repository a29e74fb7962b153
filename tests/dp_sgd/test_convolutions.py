"""The compiled convolutions, their gradients and the copy of images are those of numpy in double precision."""

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.random import Generator, default_rng

from mlaudit.dp_sgd.network import Network
from mlaudit.types.arrays import Float32Array, FloatArray

pytest.importorskip("numba")
from mlaudit.dp_sgd.kernels import convolutions, layout, transpose

LANES, Block = layout.LANES, layout.Block
SHAPES = [(1, 1, 2), (1, 4, 7), (3, 5, 9), (5, 2, 4), (8, 16, 8)]  # channels, filters, side


class Convolution:
    """The second convolution of a network, in the kernels' array; `part` is a view of one block of numbers."""

    def __init__(self, shape: tuple[int, int, int], rng: Generator) -> None:
        self.channels, self.filters, self.side = shape
        network = Network((1, 2 * self.side, 2 * self.side), shape[:2])
        self.half = self.side // 2
        self.layout = layout.layout_of(network)
        self.before, self.block = self.layout.blocks
        self.memory = layout.allocate_memory(self.layout)
        weights = network.initial(rng)
        at = network.layers[1]
        self.weights = weights[at.weights_at : at.biases_at].reshape(self.filters, self.channels, 3, 3).astype(float)
        self.biases = weights[at.biases_at : at.end].astype(float)
        self.kernels = np.zeros(self.layout.kernels, np.float32)
        convolutions.transform_weights(self.layout, weights, self.kernels)

    def part(self, at: int, planes: int, height: int) -> Float32Array:
        return self.memory[at * LANES : (at + planes * height**2) * LANES].reshape(planes, height, height, LANES)

    def set_inputs(self, rng: Generator, low: float, high: float) -> FloatArray:
        """Draw inputs; return them with their border of zeros."""
        drawn = rng.uniform(low, high, (self.channels, self.side, self.side, LANES)).astype(np.float32)
        row = self.block[Block.ROW]
        self.part(self.block[Block.SOURCE], self.channels, row)[:, 1 : self.side + 1, 1 : self.side + 1] = drawn
        return np.pad(drawn.astype(float), ((0, 0), (1, 1), (1, 1), (0, 0)))

    def set_slopes(self, rng: Generator) -> FloatArray:
        """Draw slopes of pooled outputs and their codes; return the slopes before pooling."""
        half, shape = self.half, (self.filters, self.half, self.half, LANES)
        slopes, codes = rng.normal(size=shape).astype(np.float32), rng.integers(-1, 4, shape, dtype=np.int32)
        self.part(self.block[Block.SLOPES], self.filters, self.block[Block.SLOPE_ROW])[:, :half, :half] = slopes
        self.part(self.block[Block.CODES], self.filters, half).view(np.int32)[:] = codes
        wide = np.zeros((self.filters, self.side, self.side, LANES))
        for code in range(4):
            y, x = divmod(code, 2)
            wide[:, y : 2 * half : 2, x : 2 * half : 2] = np.where(codes == code, slopes, 0.0)
        return wide


def convolved(images: FloatArray, weights: FloatArray) -> FloatArray:
    """Slide the weights (filters × channels × 3 × 3) over padded images (channels × height × width × lanes)."""
    windows = sliding_window_view(images, (3, 3), axis=(1, 2))
    return np.asarray(np.einsum("cyxlij,fcij->fyxl", windows, weights))


def assert_near(found: Any, right: FloatArray) -> None:
    np.testing.assert_allclose(found, right, rtol=0, atol=2e-6 * np.abs(right).max())


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 255)])
@pytest.mark.parametrize("shape", SHAPES)
def test_pooled_outputs_and_their_codes(shape: tuple[int, int, int], low: float, high: float) -> None:
    rng = default_rng(1)
    one = Convolution(shape, rng)
    outputs = convolved(one.set_inputs(rng, low, high), one.weights) + one.biases[:, None, None, None]
    convolutions.convolve_and_pool(one.block, one.memory, one.kernels)
    half, border = one.half, one.block[Block.BORDER]
    corners = np.stack([outputs[:, y : 2 * half : 2, x : 2 * half : 2] for y in (0, 1) for x in (0, 1)])
    right = np.maximum(corners.max(axis=0), 0.0)
    inside = slice(border, border + half)
    pooled = one.part(one.block[Block.OUT], one.filters, one.block[Block.OUT_ROW])[:, inside, inside]
    assert_near(pooled, right)
    codes = one.part(one.block[Block.CODES], one.filters, half).view(np.int32)
    named = np.take_along_axis(np.concatenate([corners, np.zeros((1, *right.shape))]), codes[None] % 5, axis=0)[0]
    assert_near(named, right)


@pytest.mark.parametrize("shape", SHAPES)
def test_slopes_of_weights_and_biases(shape: tuple[int, int, int]) -> None:
    rng = default_rng(2)
    one = Convolution(shape, rng)
    images, slopes = one.set_inputs(rng, -1, 1), one.set_slopes(rng)
    at = one.layout.gradients_at
    convolutions.set_bias_slopes(one.block, one.memory, at)
    convolutions.set_weight_slopes(one.block, one.memory, at)
    found = one.memory[at * LANES : (at + one.layout.size) * LANES].reshape(-1, LANES)
    windows = sliding_window_view(images, (one.side, one.side), axis=(1, 2))
    right = np.einsum("cijlyx,fyxl->fcijl", windows, slopes).reshape(-1, LANES)
    start, end = one.block[Block.WEIGHTS], one.block[Block.BIASES]
    assert_near(found[start:end], right)
    assert_near(found[end : end + one.filters], slopes.sum(axis=(1, 2)))


@pytest.mark.parametrize("shape", SHAPES)
def test_slopes_of_inputs(shape: tuple[int, int, int]) -> None:
    rng = default_rng(3)
    one = Convolution(shape, rng)
    slopes = np.pad(one.set_slopes(rng), ((0, 0), (1, 1), (1, 1), (0, 0)))
    convolutions.set_input_slopes(one.block, one.before, one.memory, one.kernels)
    found = one.part(one.before[Block.SLOPES], one.channels, one.before[Block.SLOPE_ROW])
    rotated = one.weights[:, :, ::-1, ::-1].swapaxes(0, 1)
    assert_near(found[:, : one.side, : one.side], convolved(slopes, rotated))


@pytest.mark.parametrize("side", [3, 16, 21])
@pytest.mark.parametrize("filters", [(), (1,)])
def test_images_are_copied_into_the_lanes(side: int, filters: tuple[int, ...]) -> None:
    plan = layout.layout_of(Network((2, side, side), filters))
    memory, images = layout.allocate_memory(plan), default_rng(4).random((7, 2 * side**2), dtype=np.float32)
    rows = np.array([5, 0, 3])
    transpose.gather(plan, memory, images, rows)
    row, inside = plan.pixels_row, slice(plan.border, plan.border + side)
    found = memory[plan.pixels_at * LANES : (plan.pixels_at + 2 * row**2) * LANES].reshape(2, row, row, LANES)
    for lane in range(LANES):
        right = images[rows[lane if lane < 3 else 0]].reshape(2, side, side)
        assert (found[:, inside, inside, lane] == right).all()
    assert np.count_nonzero(found) <= LANES * 2 * side**2
