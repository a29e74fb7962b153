"""Value and gradient of every lane's objective.

The objective of a lane is the mean logistic loss of the data + ½ Σ penalty·w² + b·w/n, where b is its row of noise.

The gradient of the summed loss is split into its value at w = 0, which all lanes share, and the `rise` from there:
Σ tanh(z)·x over the rows x.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mlaudit.kernels.jit import compiled, fused
from mlaudit.kernels.lockstep.losses import add_losses, add_losses_and_take_tanh, sum_saturated_losses
from mlaudit.kernels.lockstep.problem import Problem, rows_per_block
from mlaudit.kernels.lockstep.products import BLOCK, add_columns, multiply_rows
from mlaudit.kernels.lockstep.state import Row
from mlaudit.kernels.lockstep.vectors import Array, aligned_zeros, dot, measure_slopes
from mlaudit.types.arrays import FloatArray

_SATURATED = 40.0  # tanh of half of it is 1 in double precision


class Workspace(NamedTuple):
    """Arrays for `evaluate`: the data in blocks with room for their products, and the results, of full width."""

    blocks: tuple[tuple[Array, Array, Array], ...]
    trial: Array
    part: Array
    loss: FloatArray
    rise: Array


def allocate_workspace(shared: Problem, width: int) -> Workspace:
    """Make the arrays for `evaluate` with at most `width` lanes."""
    (n, p), dtype = shared.rows.shape, shared.rows.dtype
    size = rows_per_block(shared, width)
    z, t = (aligned_zeros((size, width), dtype) for _ in range(2))
    rows = [shared.rows[first : first + size] for first in range(0, n, size)]
    trial, part, rise = (aligned_zeros((p, width), dtype) for _ in range(3))
    return Workspace(tuple((x, z[: len(x)], t[: len(x)]) for x in rows), trial, part, np.empty(width), rise)


def evaluate(trial: Array, space: Workspace) -> tuple[FloatArray, Array]:
    """Return the summed loss at every lane's trial and the rise of its gradient.

    Products always have the full width, since BLAS may round differently in another shape.
    """
    width = trial.shape[1]
    if width < space.trial.shape[1]:
        space.trial[:, :width] = trial
        trial = space.trial
    space.loss[:] = 0.0
    space.rise[:] = 0.0
    for rows, z, t in space.blocks:
        np.dot(rows, trial, out=z)
        np.tanh(z, out=t)
        add_losses(z, t, space.loss)
        np.add(space.rise, np.dot(rows.T, t, out=space.part), out=space.rise)
    return space.loss[:width], np.ascontiguousarray(space.rise[:, :width])


@compiled
def evaluate_single(entries: Any, trial: Any, z: Any, loss: Any, rise: Any) -> None:
    """Set loss and rise at every lane's trial, in single precision; z is scratch for a block of rows."""
    n = entries.row_starts.size - 1
    loss[:] = 0.0
    rise[:] = 0.0
    for block in range(len(entries.column_starts)):
        first = block * BLOCK
        here = z[: min(BLOCK, n - first)]
        multiply_rows(here, entries, first, trial)
        add_losses_and_take_tanh(here, loss)
        add_columns(rise, entries, block, here)


@compiled
def evaluate_saturated(lanes: Any, shared: Any, loss: Any, rise: Any) -> Any:
    """Set loss and rise of the lanes whose intercept decides every row; return whether that is all of them.

    The loss is linear there.
    """
    trial, noise_row, square, far = lanes.trial, lanes.noise_row, lanes.work[0], lanes.work[1]
    last, every, some = len(trial) - 1, True, False
    dot(square, trial[:last], trial[:last])
    for r in range(noise_row.size):
        far[r] = abs(trial[last, r]) > _SATURATED + shared.max_norm * math.sqrt(square[r])
        every &= far[r] > 0.0 or noise_row[r] < 0
        some |= far[r] > 0.0
    if some:
        total = np.empty_like(loss)
        sum_saturated_losses(np.dot(shared.rows, trial), shared.leaves, total)
        for r in range(noise_row.size):
            loss[r] = total[r] if far[r] > 0.0 else loss[r]
        for j in range(last + 1):
            low = shared.saturated_gradients[0, j] - shared.gradient_at_zero[j]
            high = shared.saturated_gradients[1, j] - shared.gradient_at_zero[j]
            for r in range(noise_row.size):
                side = high if trial[last, r] > 0.0 else low
                rise[j, r] = side if far[r] > 0.0 else rise[j, r]
    return every


@compiled
def measure_trials(lanes: Any, shared: Any, loss: Any, rise: Any) -> None:
    """Set value, gradient, largest component of the gradient, and slope at every trial."""
    state, n = lanes.state, shared.rows.shape[0]
    _set_gradients(lanes.trial_gradient, rise, lanes.noise, lanes.trial, shared.penalty, shared.gradient_at_zero, n)
    _set_values(state[Row.VALUE], state[Row.SLOPE], loss, lanes.noise, lanes.trial, shared.penalty, n)
    measure_slopes(state[Row.SLOPE], state[Row.NORM], lanes.trial_gradient, lanes.direction)
    for r in range(state.shape[1]):
        step, start = state[Row.STEP, r], state[Row.START_SLOPE, r]
        if abs(step * start) < shared.rounding:
            state[Row.VALUE, r] = state[Row.START_VALUE, r] + 0.5 * step * (start + state[Row.SLOPE, r])


@fused
def _set_gradients(out: Any, rise: Any, noise: Any, trial: Any, penalty: Any, at_zero: Any, n: Any) -> None:
    """Set out to the gradient of the mean objective."""
    share = rise.dtype.type(1.0 / n)
    for j in range(out.shape[0]):
        weight, base = rise.dtype.type(penalty[j]), rise.dtype.type(at_zero[j])
        for r in range(out.shape[1]):
            out[j, r] = ((rise[j, r] + base) + noise[j, r]) * share + weight * trial[j, r]


@fused
def _set_values(value: Any, total: Any, loss: Any, noise: Any, trial: Any, penalty: Any, n: Any) -> None:
    """Set value to the mean objective in double precision, rounded where scipy rounds it; total is scratch."""
    for r in range(len(value)):
        value[r] = loss[r] / n
        total[r] = 0.0
    for j in range(trial.shape[0]):
        half = 0.5 * penalty[j]
        for r in range(trial.shape[1]):
            w = np.float64(trial[j, r])
            value[r] += half * w * w
            total[r] += w * np.float64(noise[j, r])
    for r in range(len(value)):
        value[r] += total[r] / n


@compiled
def set_gradients_at_zero(out: Any, noise: Any, at_zero: Any, n: Any) -> None:
    """Set out to the gradient of the mean objective at w = 0."""
    for j in range(out.shape[0]):
        for r in range(out.shape[1]):
            out[j, r] = (at_zero[j] + noise[j, r]) / n
