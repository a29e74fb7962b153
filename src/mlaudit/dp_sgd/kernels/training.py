"""A whole training as one kernel: batches, clipped sums, noise, updates."""

import math
from typing import Any

import numpy as np

from mlaudit.dp_sgd.kernels.convolutions import transform_weights
from mlaudit.dp_sgd.kernels.layout import LANES
from mlaudit.dp_sgd.kernels.passes import backward, clip_into_sums, forward, set_loss_slopes
from mlaudit.dp_sgd.kernels.transpose import gather
from mlaudit.kernels.jit import fused
from mlaudit.kernels.lanes import load, splat, store, total
from mlaudit.kernels.xoshiro import uniform

SGD, RMSPROP, ADAM = range(3)


@fused
def sum_clipped_gradients(space: Any, weights: Any, data: Any, rows: Any, clip: Any, sums: Any, norms: Any) -> None:
    """Set sums to the sum of the rows' clipped gradients, and norms to the norm of each before clipping."""
    layout, memory, kernels, lane_norms = space
    images, labels = data
    for j in range(layout.size):
        store(memory, layout.sums_at + j, splat(np.float32(0.0)))
    transform_weights(layout, weights, kernels)
    for first in range(0, len(rows), LANES):
        group = rows[first : first + LANES]
        gather(layout, memory, images, group)
        forward(layout, memory, weights, kernels)
        set_loss_slopes(layout, memory, labels, group)
        backward(layout, memory, weights, kernels)
        clip_into_sums(layout, memory, clip, lane_norms)
        for lane in range(len(group)):
            norms[first + lane] = lane_norms[lane]
    for j in range(layout.size):
        sums[j] = total(load(memory, layout.sums_at + j))


@fused
def add_noise(state: Any, scale: Any, sums: Any) -> None:
    """Add Gaussian noise to every coordinate, two at a time by Marsaglia's polar method."""
    for i in range(0, len(sums), 2):
        a, b, square = 0.0, 0.0, 0.0
        while square >= 1.0 or square == 0.0:
            a, b = 2.0 * uniform(state) - 1.0, 2.0 * uniform(state) - 1.0
            square = a * a + b * b
        factor = scale * math.sqrt(-2.0 * math.log(square) / square)
        sums[i] += np.float32(a * factor)
        if i + 1 < len(sums):
            sums[i + 1] += np.float32(b * factor)


@fused
def update(
    kind: Any, rate: Any, momentum: Any, step: Any, batch: Any, sums: Any, weights: Any, first: Any, second: Any
) -> None:
    """Take one step of the optimiser, as torch defines it; `step` counts from 1."""
    if kind == SGD:
        for j in range(len(sums)):
            first[j] = momentum * first[j] + sums[j] / batch
            weights[j] -= rate * first[j]
    elif kind == RMSPROP:
        for j in range(len(sums)):
            g = sums[j] / batch
            second[j] = np.float32(0.99) * second[j] + np.float32(1 - 0.99) * g * g
            weights[j] -= rate * g / (math.sqrt(second[j]) + np.float32(1e-8))
    else:
        grown = np.float32(rate / (1.0 - 0.9**step))
        root = np.float32(math.sqrt(1.0 - 0.999**step))
        for j in range(len(sums)):
            g = sums[j] / batch
            first[j] = np.float32(0.9) * first[j] + np.float32(1 - 0.9) * g
            second[j] = np.float32(0.999) * second[j] + np.float32(1 - 0.999) * g * g
            weights[j] -= grown * first[j] / (math.sqrt(second[j]) / root + np.float32(1e-8))


@fused
def run_training(space: Any, state: Any, numbers: Any, data: Any, weights: Any, inside: Any, out: Any) -> None:
    """Train `weights` in offset.

    `inside` are the canaries, the directions, and which canary joins which step (empty: by the sampling rate). `out`
    are the arrays for observed products and batch sizes.
    """
    steps, rate, sigma, clip, batch, kind, learning_rate, momentum = numbers
    canaries, directions, joins = inside
    observed, batches = out
    n, size = len(data[0]), len(weights)
    rows, norms = np.empty(n, np.int64), np.empty(n, np.float32)
    sums, first, second = np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros(size, np.float32)
    for step in range(steps):
        joined = 0
        for i in range(n):
            rows[joined] = i
            joined += uniform(state) < rate
        sum_clipped_gradients(space, weights, data, rows[:joined], clip, sums, norms)
        for j in range(len(canaries)):
            if joins[step, j] if len(joins) else uniform(state) < rate:
                sums += canaries[j]
        add_noise(state, sigma, sums)
        for k in range(len(directions)):
            product = 0.0
            for j in range(len(sums)):
                product += sums[j] * directions[k, j]
            observed[step, k] = product
        batches[step] = joined
        update(kind, learning_rate, momentum, step + 1, batch, sums, weights, first, second)


@fused
def initialise(limits: Any, state: Any, weights: Any) -> None:
    """Draw random weights, uniform in ±limits."""
    for j in range(len(weights)):
        weights[j] = np.float32(limits[j] * (2.0 * uniform(state) - 1.0))
