"""One step of every lane: judge the trials, collect the lanes that ended, give them new rows of noise."""

from typing import Any

from mlaudit.kernels.jit import compiled, inlined
from mlaudit.kernels.lockstep.direction import (
    EPSILON,
    accept_trials,
    forget_pairs,
    forget_singular_pairs,
    open_searches,
    update_directions,
)
from mlaudit.kernels.lockstep.line_search import MAX_TRIALS, is_accepted, update_step
from mlaudit.kernels.lockstep.objective import measure_trials, set_gradients_at_zero
from mlaudit.kernels.lockstep.state import Outcome, Row, Stage
from mlaudit.kernels.lockstep.vectors import copy_where, multiply, step_along

_REDUCTION = 64 * EPSILON


@compiled
def advance_lanes(
    lanes: Any, shared: Any, loss: Any, rise: Any, noise: Any, started: Any, points: Any, outcomes: Any
) -> Any:
    """Judge every lane's trial and set the next one; return how many rows of noise have been started.

    `loss` and `rise` belong to the trials. Where lanes end, `points` and `outcomes` are written.
    """
    exact = shared.rounding == 0.0
    measure_trials(lanes, shared, loss, rise)
    _judge_trials(lanes, shared.tolerance, shared.max_iterations)
    accept_trials(lanes)
    if exact:
        forget_singular_pairs(lanes)
    update_directions(lanes, exact)
    _collect_ended(lanes, points, outcomes)
    return start_lanes(lanes, shared, noise, started)


@compiled
def start_lanes(lanes: Any, shared: Any, noise: Any, started: Any) -> Any:
    """Fill the idle lanes and set every lane's trial; return how many rows of noise have been started."""
    started = _fill_idle(lanes, shared, noise, started)
    open_searches(lanes, shared.tolerance)
    factor = lanes.work[0]
    factor[:] = lanes.state[Row.STEP]
    step_along(lanes.trial, lanes.point, factor, lanes.direction)
    return started


@compiled
def _judge_trials(lanes: Any, tolerance: Any, max_iterations: Any) -> None:
    """Set the stage of every searching lane: it moved, searches on, is stuck, or ended."""
    state, stage, outcome = lanes.state, lanes.stage, lanes.outcome
    for r in range(state.shape[1]):
        if stage[r] != Stage.SEARCHING:
            continue
        state[Row.TRIALS, r] += 1.0
        if is_accepted(state, r):
            state[Row.ITERATION, r] += 1.0
            stage[r] = Stage.MOVED
            _check_end(state, stage, outcome, r, tolerance, max_iterations)
        elif state[Row.TRIALS, r] < MAX_TRIALS:
            update_step(state, r)
        elif state[Row.PAIRS, r] > 0.0:
            stage[r] = Stage.STUCK
        else:
            stage[r], outcome[r] = Stage.ENDED, Outcome.ABNORMAL


@inlined
def _check_end(state: Any, stage: Any, outcome: Any, r: Any, tolerance: Any, max_iterations: Any) -> None:
    """End lane r if its new point satisfies a stopping rule."""
    before, after = state[Row.START_VALUE, r], state[Row.VALUE, r]
    if state[Row.NORM, r] <= tolerance:
        stage[r], outcome[r] = Stage.ENDED, Outcome.CONVERGED
    elif state[Row.ITERATION, r] >= max_iterations:
        stage[r], outcome[r] = Stage.ENDED, Outcome.LIMIT
    elif not before - after > _REDUCTION * max(abs(before), abs(after), 1.0):
        stage[r], outcome[r] = Stage.ENDED, Outcome.FLAT


@compiled
def _collect_ended(lanes: Any, points: Any, outcomes: Any) -> None:
    """Write where lanes ended and how, and make them idle."""
    noise_row, stage, outcome = lanes.noise_row, lanes.stage, lanes.outcome
    for r in range(noise_row.size):
        if stage[r] == Stage.ENDED:
            source = lanes.point if outcome[r] == Outcome.ABNORMAL else lanes.trial
            for j in range(source.shape[0]):
                points[noise_row[r], j] = source[j, r]
            outcomes[noise_row[r]] = outcome[r]
            stage[r] = Stage.IDLE
            noise_row[r] = -1


@compiled
def _fill_idle(lanes: Any, shared: Any, noise: Any, started: Any) -> Any:
    """Give the next rows of noise to idle lanes; they start at w = 0 along the negative gradient."""
    state, stage, noise_row, spare = lanes.state, lanes.stage, lanes.noise_row, lanes.spare
    new, factor = lanes.work[0], lanes.work[1]
    first = started
    for r in range(noise_row.size):
        new[r] = 0.0
        if noise_row[r] < 0 and started < len(noise):
            for j in range(noise.shape[1]):
                lanes.noise[j, r] = noise[started, j]
            noise_row[r] = started
            stage[r], state[Row.ITERATION, r] = Stage.NEW, 0.0
            forget_pairs(lanes, r)
            new[r] = 1.0
            started += 1
    if started > first:
        spare[:] = 0.0
        copy_where(lanes.point, new, spare)
        set_gradients_at_zero(spare, lanes.noise, shared.gradient_at_zero, shared.rows.shape[0])
        copy_where(lanes.gradient, new, spare)
        factor[:] = -1.0
        multiply(spare, factor, lanes.gradient)
        copy_where(lanes.direction, new, spare)
    return started
