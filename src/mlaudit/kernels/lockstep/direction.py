"""The L-BFGS memory and the search directions of every lane."""

import math
from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled
from mlaudit.kernels.lockstep.factorisation import is_singular
from mlaudit.kernels.lockstep.line_search import MAX_STEP, open_search
from mlaudit.kernels.lockstep.state import MEMORY, Outcome, Row, Stage
from mlaudit.kernels.lockstep.vectors import (
    add_multiple,
    copy_where,
    dot,
    measure_slopes,
    multiply,
    negate_sum,
    round_as_difference,
    scale,
    step_along,
)

EPSILON = 2.220446049250313e-16
_PARALLEL = 1e-14  # scipy's factorisation was seen to fail below 1e-15


@compiled
def accept_trials(lanes: Any) -> None:
    """Move the lanes of stage MOVED to their trial and store their pair of step and change of gradient, newest first.

    A pair is stored only if the slope rose by more than rounding, as in scipy.
    """
    state, stage, steps, changes, rho = lanes.state, lanes.stage, lanes.steps, lanes.changes, lanes.rho
    gamma, spare = lanes.gamma, lanes.spare
    moved, curvature, factor, square = lanes.work[0], lanes.work[1], lanes.work[2], lanes.work[3]
    longest = 0.0
    for r in range(state.shape[1]):
        step, start = state[Row.STEP, r], state[Row.START_SLOPE, r]
        rise = (state[Row.SLOPE, r] - start) * step
        moved[r] = stage[r] == Stage.MOVED
        factor[r] = step
        curvature[r] = 0.0
        if stage[r] == Stage.MOVED and rise > -EPSILON * start * step:
            curvature[r] = rise
            state[Row.PAIRS, r] = min(state[Row.PAIRS, r] + 1.0, MEMORY)
            longest = max(longest, state[Row.PAIRS, r])
    for k in range(int(longest) - 1, 0, -1):
        copy_where(steps[k], curvature, steps[k - 1])
        copy_where(changes[k], curvature, changes[k - 1])
        copy_where(rho[k : k + 1], curvature, rho[k - 1 : k])
    multiply(spare, factor, lanes.direction)
    copy_where(steps[0], curvature, spare)
    factor[:] = -1.0
    step_along(spare, lanes.trial_gradient, factor, lanes.gradient)
    copy_where(changes[0], curvature, spare)
    dot(square, changes[0], changes[0])
    for r in range(state.shape[1]):
        if curvature[r] > 0.0:
            rho[0, r] = 1.0 / curvature[r]
            gamma[r] = curvature[r] / square[r]
    copy_where(lanes.point, moved, lanes.trial)
    copy_where(lanes.gradient, moved, lanes.trial_gradient)


@compiled
def forget_pairs(lanes: Any, r: Any) -> None:
    """Clear the memory of lane r."""
    lanes.state[Row.PAIRS, r] = 0.0
    lanes.gamma[r] = 1.0
    lanes.rho[:, r] = 0.0


@compiled
def forget_singular_pairs(lanes: Any) -> None:
    """Clear the memory of the lanes for which scipy's factorisation fails.

    It fails only if the last step moved the intercept alone; other lanes are not checked.
    """
    state, stage, square, rest = lanes.state, lanes.stage, lanes.work[0], lanes.work[1]
    dot(square, lanes.steps[0], lanes.steps[0])
    dot(rest, lanes.steps[0, :-1], lanes.steps[0, :-1])
    for r in range(state.shape[1]):
        if (
            stage[r] == Stage.MOVED
            and rest[r] < _PARALLEL * square[r]
            and is_singular(lanes, r, int(state[Row.PAIRS, r]))
        ):
            forget_pairs(lanes, r)


@compiled
def update_directions(lanes: Any, exact: Any) -> None:
    """Set the direction of the lanes that need a new line search, by the two loops of L-BFGS.

    Lanes of stage STUCK start over with an empty memory.
    """
    state, stage = lanes.state, lanes.stage
    steps, changes, rho, alpha = lanes.steps, lanes.changes, lanes.rho, lanes.alpha
    turning, total, zeros, d = lanes.work[0], lanes.work[1], lanes.work[2], lanes.spare
    longest = 0.0
    for r in range(state.shape[1]):
        if stage[r] == Stage.STUCK:
            forget_pairs(lanes, r)
        turning[r] = stage[r] >= Stage.MOVED
        longest = max(longest, state[Row.PAIRS, r])
    zeros[:] = 0.0
    total[:] = -1.0
    multiply(d, total, lanes.gradient)
    for k in range(int(longest)):
        dot(total, steps[k], d)
        negate_sum(alpha[k], zeros, rho[k], total)
        add_multiple(d, alpha[k], changes[k])
    scale(d, lanes.gamma)
    for k in range(int(longest) - 1, -1, -1):
        dot(total, changes[k], d)
        negate_sum(total, alpha[k], rho[k], total)
        add_multiple(d, total, steps[k])
    if exact:
        round_as_difference(d, lanes.point)
    copy_where(lanes.direction, turning, d)


@compiled
def open_searches(lanes: Any, tolerance: Any) -> None:
    """Start the line searches along new directions; an ascending direction is replaced by the negative gradient.

    A lane ends here if its gradient is small at w = 0, or if not even the negative gradient descends.
    """
    state, stage, outcome = lanes.state, lanes.stage, lanes.outcome
    measure_slopes(state[Row.SLOPE], state[Row.NORM], lanes.gradient, lanes.direction)
    for r in range(state.shape[1]):
        before = stage[r]
        if before < Stage.NEW:
            continue
        if state[Row.PAIRS, r] > 0.0 and not state[Row.SLOPE, r] < 0.0:
            forget_pairs(lanes, r)
            state[Row.SLOPE, r] = _reverse_gradient(lanes, r)
        slope = state[Row.SLOPE, r]
        stage[r] = Stage.SEARCHING
        if before == Stage.NEW and state[Row.NORM, r] <= tolerance:
            stage[r], outcome[r], state[Row.STEP, r] = Stage.ENDED, Outcome.CONVERGED, 0.0
        elif not slope < 0.0:
            stage[r], outcome[r], state[Row.STEP, r] = Stage.ENDED, Outcome.ABNORMAL, 0.0
        elif before == Stage.NEW:
            open_search(state, r, math.log(2.0), slope, min(1.0 / math.sqrt(-slope), MAX_STEP))
        elif before == Stage.MOVED:
            open_search(state, r, state[Row.VALUE, r], slope, 1.0)
        else:
            open_search(state, r, state[Row.START_VALUE, r], slope, 1.0)


@compiled
def _reverse_gradient(lanes: Any, r: Any) -> Any:
    """Set the direction of lane r to the negative gradient; return the slope."""
    slope = 0.0
    for j in range(lanes.point.shape[0]):
        x, g = lanes.point[j, r], lanes.gradient[j, r]
        lanes.direction[j, r] = (x - g) - x
        slope += np.float64(g) * np.float64(lanes.direction[j, r])
    return slope
