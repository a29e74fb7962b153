"""Forward and backward pass of sixteen examples, one in each lane, and the clipped sum of their gradients.

Each example's gradients of the convolutions are stored until they are clipped. Those of the linear layer are not:
they are outer products, whose norm is the product of the norms. A `slope` is a derivative of the loss.
"""

import math
from typing import Any

import numpy as np

from mlaudit.dp_sgd.kernels.convolutions import (
    convolve_and_pool,
    set_bias_slopes,
    set_input_slopes,
    set_weight_slopes,
)
from mlaudit.dp_sgd.kernels.layout import LANES
from mlaudit.kernels.jit import fused, inlined
from mlaudit.kernels.lanes import add, load, muladd, splat, store

_STABLE = np.float32(1e-6)  # added to a norm before the division, as in Opacus


@fused
def forward(layout: Any, memory: Any, weights: Any, kernels: Any) -> None:
    """Compute the logits from the pixels."""
    for block in range(len(layout.blocks)):
        convolve_and_pool(layout.blocks[block], memory, kernels)
    for k in range(layout.classes):
        sums = splat(weights[layout.linear_at + layout.classes * layout.features + k])
        for j in range(layout.features):
            weight = splat(weights[layout.linear_at + k * layout.features + j])
            sums = muladd(weight, load(memory, layout.features_at + j), sums)
        store(memory, layout.logits_at + k, sums)


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
def backward(layout: Any, memory: Any, weights: Any, kernels: Any) -> None:
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
        set_bias_slopes(layout.blocks[block], memory, layout.gradients_at)
        set_weight_slopes(layout.blocks[block], memory, layout.gradients_at)
        if block > 0:
            set_input_slopes(layout.blocks[block], layout.blocks[block - 1], memory, kernels)


@inlined
def _sum_of_squares(memory: Any, at: Any, n: Any) -> Any:
    """Return a sum made of four: each product waits for the one before it in its sum."""
    a = b = c = d = splat(np.float32(0.0))
    for j in range(at, at + n - 3, 4):
        a = muladd(load(memory, j), load(memory, j), a)
        b = muladd(load(memory, j + 1), load(memory, j + 1), b)
        c = muladd(load(memory, j + 2), load(memory, j + 2), c)
        d = muladd(load(memory, j + 3), load(memory, j + 3), d)
    for j in range(at + n - n % 4, at + n):
        a = muladd(load(memory, j), load(memory, j), a)
    return add(add(a, b), add(c, d))


@fused
def clip_into_sums(layout: Any, memory: Any, clip: Any, norms: Any) -> None:
    """Set the norm of each lane's gradient, and add the gradient, scaled to at most `clip`, to the sums."""
    square = _sum_of_squares(memory, layout.gradients_at, layout.linear_at)
    features = add(splat(np.float32(1.0)), _sum_of_squares(memory, layout.features_at, layout.features))  # the bias
    slopes = _sum_of_squares(memory, layout.slopes_at, layout.classes)
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
