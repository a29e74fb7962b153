"""The line search of Moré and Thuente (1994) for many lanes, with the constants of scipy's L-BFGS-B.

`open_search` starts a search. The caller then writes value and slope at the step to `Row.VALUE` and `Row.SLOPE`. If
the trial is not `is_accepted`, `update_step` sets the next step.
"""

import math
from typing import Any

from mlaudit.kernels.jit import compiled, inlined
from mlaudit.kernels.lockstep.state import Row

MAX_TRIALS = 20
MAX_STEP = 1e10
_DECREASE, _CURVATURE, _NARROW = 1e-3, 0.9, 0.1
_EXPAND_LOW, _EXPAND_HIGH, _SHRINK = 1.1, 4.0, 0.66


@compiled
def open_search(state: Any, r: Any, value: Any, slope: Any, step: Any) -> None:
    """Start a search with the value and slope at its start and a first step."""
    state[Row.STEP, r] = step
    state[Row.START_VALUE, r] = state[Row.BEST_VALUE, r] = state[Row.OTHER_VALUE, r] = value
    state[Row.START_SLOPE, r] = state[Row.BEST_SLOPE, r] = state[Row.OTHER_SLOPE, r] = slope
    state[Row.TRIALS, r] = state[Row.BEST, r] = state[Row.OTHER, r] = state[Row.LOW, r] = 0.0
    state[Row.HIGH, r] = step + _EXPAND_HIGH * step
    state[Row.WIDTH, r], state[Row.WIDTH_BEFORE, r] = MAX_STEP, 2.0 * MAX_STEP
    state[Row.BRACKETED, r] = state[Row.SECOND_STAGE, r] = 0.0


@inlined
def is_accepted(state: Any, r: Any) -> Any:
    """Whether the search ends at this trial: the step is good, or no better one can be found."""
    step, slope, start = state[Row.STEP, r], state[Row.SLOPE, r], state[Row.START_SLOPE, r]
    low, high = state[Row.LOW, r], state[Row.HIGH, r]
    enough = state[Row.VALUE, r] <= state[Row.START_VALUE, r] + step * (_DECREASE * start)
    good = enough and abs(slope) <= -_CURVATURE * start
    narrow = state[Row.BRACKETED, r] > 0.0 and (step <= low or step >= high or high - low <= _NARROW * high)
    longest = step >= MAX_STEP and enough and slope <= _DECREASE * start
    return good or narrow or longest


@compiled
def update_step(state: Any, r: Any) -> None:
    """Set the next step. An interval that holds a good step shrinks; until there is one, it grows."""
    step, value, slope = state[Row.STEP, r], state[Row.VALUE, r], state[Row.SLOPE, r]
    tilt = _DECREASE * state[Row.START_SLOPE, r]
    enough = state[Row.START_VALUE, r] + step * tilt
    if value <= enough and slope >= 0.0:
        state[Row.SECOND_STAGE, r] = 1.0
    # Until a trial had a low enough value and a rising slope, a lower value that is not low enough counts as high.
    if state[Row.SECOND_STAGE, r] == 0.0 and state[Row.BEST_VALUE, r] >= value > enough:
        _subtract_line(state, r, tilt)
        next_step = _interpolate_step(state, r, value - step * tilt, slope - tilt)
        _subtract_line(state, r, -tilt)
    else:
        next_step = _interpolate_step(state, r, value, slope)
    best, other = state[Row.BEST, r], state[Row.OTHER, r]
    if state[Row.BRACKETED, r] > 0.0:
        if abs(other - best) >= _SHRINK * state[Row.WIDTH_BEFORE, r]:
            next_step = best + 0.5 * (other - best)
        state[Row.WIDTH_BEFORE, r] = state[Row.WIDTH, r]
        state[Row.WIDTH, r] = abs(other - best)
        low, high = min(best, other), max(best, other)
        if next_step <= low or next_step >= high or high - low <= _NARROW * high:
            next_step = best
    else:
        low = next_step + _EXPAND_LOW * (next_step - best)
        high = next_step + _EXPAND_HIGH * (next_step - best)
        next_step = min(next_step, MAX_STEP)
    state[Row.LOW, r], state[Row.HIGH, r], state[Row.STEP, r] = low, high, next_step


@compiled
def _subtract_line(state: Any, r: Any, tilt: Any) -> None:
    """Subtract a line of slope `tilt` from values and slopes at both ends of the interval."""
    state[Row.BEST_VALUE, r] -= state[Row.BEST, r] * tilt
    state[Row.OTHER_VALUE, r] -= state[Row.OTHER, r] * tilt
    state[Row.BEST_SLOPE, r] -= tilt
    state[Row.OTHER_SLOPE, r] -= tilt


@compiled
def _interpolate_step(state: Any, r: Any, value: Any, slope: Any) -> Any:
    """Return the safeguarded step of the paper's section 4 and make the trial an end of the interval."""
    step, best = state[Row.STEP, r], state[Row.BEST, r]
    best_value, best_slope = state[Row.BEST_VALUE, r], state[Row.BEST_SLOPE, r]
    turned = slope * best_slope < 0.0
    gap = best - step
    if value > best_value:
        cubic = best - gap * _minimise_cubic(best_value, best_slope, value, slope, -gap)[0]
        quadratic = best - gap * 0.5 * best_slope / ((best_value - value) / -gap + best_slope)
        near = abs(cubic - best) < abs(quadratic - best)
        next_step = cubic if near else cubic + 0.5 * (quadratic - cubic)
    elif turned:
        cubic = step + gap * _minimise_cubic(value, slope, best_value, best_slope, gap)[0]
        secant = step + gap * (slope / (slope - best_slope))
        next_step = cubic if abs(cubic - step) > abs(secant - step) else secant
    elif abs(slope) < abs(best_slope):
        next_step = _step_past_lower_value(state, r, value, slope)
    elif state[Row.BRACKETED, r] > 0.0:
        gap = state[Row.OTHER, r] - step
        next_step = (
            step + gap * _minimise_cubic(value, slope, state[Row.OTHER_VALUE, r], state[Row.OTHER_SLOPE, r], gap)[0]
        )
    else:
        next_step = state[Row.HIGH, r] if step > best else state[Row.LOW, r]
    _update_interval(state, r, value, slope, turned)
    return next_step


@compiled
def _step_past_lower_value(state: Any, r: Any, value: Any, slope: Any) -> Any:
    """Return the step for a trial with a lower value and a smaller slope of the same sign."""
    step, best = state[Row.STEP, r], state[Row.BEST, r]
    low, high = state[Row.LOW, r], state[Row.HIGH, r]
    gap = best - step
    share, root = _minimise_cubic(value, slope, state[Row.BEST_VALUE, r], state[Row.BEST_SLOPE, r], gap)
    beyond = high if step > best else low
    cubic = step + gap * share if share < 0.0 and root != 0.0 else beyond
    secant = step + gap * (slope / (slope - state[Row.BEST_SLOPE, r]))
    if state[Row.BRACKETED, r] == 0.0:
        next_step = cubic if abs(cubic - step) > abs(secant - step) else secant
        return max(low, min(high, next_step))
    next_step = cubic if abs(cubic - step) < abs(secant - step) else secant
    limit = step + _SHRINK * (state[Row.OTHER, r] - step)
    return min(limit, next_step) if step > best else max(limit, next_step)


@inlined
def _minimise_cubic(value: Any, slope: Any, far_value: Any, far_slope: Any, gap: Any) -> Any:
    """Return where the cubic through two points is lowest, as a share of the gap between them, and its root."""
    theta = 3.0 * (value - far_value) / gap + slope + far_slope
    size = max(abs(theta), abs(slope), abs(far_slope))
    root = size * math.sqrt(max(0.0, (theta / size) ** 2 - (slope / size) * (far_slope / size)))
    if gap < 0.0:
        root = -root
    return ((root - slope) + theta) / (((root - slope) + root) + far_slope), root


@inlined
def _update_interval(state: Any, r: Any, value: Any, slope: Any, turned: Any) -> None:
    """Replace an end of the interval by the trial."""
    higher = value > state[Row.BEST_VALUE, r]
    if higher:
        state[Row.OTHER, r], state[Row.OTHER_VALUE, r], state[Row.OTHER_SLOPE, r] = state[Row.STEP, r], value, slope
    elif turned:
        state[Row.OTHER, r] = state[Row.BEST, r]
        state[Row.OTHER_VALUE, r], state[Row.OTHER_SLOPE, r] = state[Row.BEST_VALUE, r], state[Row.BEST_SLOPE, r]
    if higher or turned:
        state[Row.BRACKETED, r] = 1.0
    if not higher:
        state[Row.BEST, r], state[Row.BEST_VALUE, r], state[Row.BEST_SLOPE, r] = state[Row.STEP, r], value, slope
