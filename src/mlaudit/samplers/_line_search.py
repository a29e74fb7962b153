"""The line search of Moré and Thuente (1994) for many lanes, with the constants of scipy's L-BFGS-B.

A lane's numbers are a column of `state`; the names below are its rows. A search is `opened` with the value and slope
at its start; then the caller fills in VALUE and SLOPE at STEP, and the trial is `accepted` or the step `narrowed`.
"""

import math
from typing import Any

from mlaudit.samplers._numba import compiled, inlined

MAX_TRIALS = 20
MAX_STEP = 1e10
_DECREASE, _CURVATURE, _NARROW = 1e-3, 0.9, 0.1
_EXPAND_LOW, _EXPAND_HIGH, _SHRINK = 1.1, 4.0, 0.66

# The trial; where the search started; the best and the other end of the interval; what steps and widths it allows.
(
    TRIALS, STEP, VALUE, SLOPE,
    START_VALUE, START_SLOPE,
    _BEST, _BEST_VALUE, _BEST_SLOPE,
    _OTHER, _OTHER_VALUE, _OTHER_SLOPE,
    _LOW, _HIGH, _WIDTH, _WIDTH_BEFORE, _BRACKETED, _SECOND_STAGE,
    FIELDS,
) = range(19)  # fmt: skip


@compiled
def opened(state: Any, r: Any, value: Any, slope: Any, step: Any) -> None:
    """Start a search."""
    state[STEP, r] = step
    state[START_VALUE, r] = state[_BEST_VALUE, r] = state[_OTHER_VALUE, r] = value
    state[START_SLOPE, r] = state[_BEST_SLOPE, r] = state[_OTHER_SLOPE, r] = slope
    state[TRIALS, r] = state[_BEST, r] = state[_OTHER, r] = state[_LOW, r] = 0.0
    state[_HIGH, r] = step + _EXPAND_HIGH * step
    state[_WIDTH, r], state[_WIDTH_BEFORE, r] = MAX_STEP, 2.0 * MAX_STEP
    state[_BRACKETED, r] = state[_SECOND_STAGE, r] = 0.0


@inlined
def accepted(state: Any, r: Any) -> Any:
    """Is the trial the end of the search: a good step, or the best there is?"""
    step, slope, start = state[STEP, r], state[SLOPE, r], state[START_SLOPE, r]
    low, high = state[_LOW, r], state[_HIGH, r]
    enough = state[VALUE, r] <= state[START_VALUE, r] + step * (_DECREASE * start)
    good = enough and abs(slope) <= -_CURVATURE * start
    narrow = state[_BRACKETED, r] > 0.0 and (step <= low or step >= high or high - low <= _NARROW * high)
    longest = step >= MAX_STEP and enough and slope <= _DECREASE * start
    return good or narrow or longest


@compiled
def narrowed(state: Any, r: Any) -> None:
    """Set the next step: an interval that holds a good step shrinks, one that does not yet grows."""
    step, value, slope = state[STEP, r], state[VALUE, r], state[SLOPE, r]
    tilt = _DECREASE * state[START_SLOPE, r]
    enough = state[START_VALUE, r] + step * tilt
    if value <= enough and slope >= 0.0:
        state[_SECOND_STAGE, r] = 1.0
    # Until a low enough value has been met with a rising slope, one that is lower but not enough counts as high.
    if state[_SECOND_STAGE, r] == 0.0 and state[_BEST_VALUE, r] >= value > enough:
        _tilted(state, r, tilt)
        following = _interpolated(state, r, value - step * tilt, slope - tilt)
        _tilted(state, r, -tilt)
    else:
        following = _interpolated(state, r, value, slope)
    best, other = state[_BEST, r], state[_OTHER, r]
    if state[_BRACKETED, r] > 0.0:
        if abs(other - best) >= _SHRINK * state[_WIDTH_BEFORE, r]:
            following = best + 0.5 * (other - best)
        state[_WIDTH_BEFORE, r] = state[_WIDTH, r]
        state[_WIDTH, r] = abs(other - best)
        low, high = min(best, other), max(best, other)
        if following <= low or following >= high or high - low <= _NARROW * high:
            following = best
    else:
        low = following + _EXPAND_LOW * (following - best)
        high = following + _EXPAND_HIGH * (following - best)
        following = min(following, MAX_STEP)
    state[_LOW, r], state[_HIGH, r], state[STEP, r] = low, high, following


@compiled
def _tilted(state: Any, r: Any, tilt: Any) -> None:
    """Subtract a line of that slope from what is known at the interval's ends."""
    state[_BEST_VALUE, r] -= state[_BEST, r] * tilt
    state[_OTHER_VALUE, r] -= state[_OTHER, r] * tilt
    state[_BEST_SLOPE, r] -= tilt
    state[_OTHER_SLOPE, r] -= tilt


@compiled
def _interpolated(state: Any, r: Any, value: Any, slope: Any) -> Any:
    """The safeguarded step of the paper's section 4, case by case; the trial becomes an end of the interval."""
    step, best = state[STEP, r], state[_BEST, r]
    best_value, best_slope = state[_BEST_VALUE, r], state[_BEST_SLOPE, r]
    turned = slope * best_slope < 0.0
    gap = best - step
    if value > best_value:
        cubic = best - gap * _cubic(best_value, best_slope, value, slope, -gap)[0]
        quadratic = best - gap * 0.5 * best_slope / ((best_value - value) / -gap + best_slope)
        near = abs(cubic - best) < abs(quadratic - best)
        following = cubic if near else cubic + 0.5 * (quadratic - cubic)
    elif turned:
        cubic = step + gap * _cubic(value, slope, best_value, best_slope, gap)[0]
        secant = step + gap * (slope / (slope - best_slope))
        following = cubic if abs(cubic - step) > abs(secant - step) else secant
    elif abs(slope) < abs(best_slope):
        following = _flattening(state, r, value, slope)
    elif state[_BRACKETED, r] > 0.0:
        gap = state[_OTHER, r] - step
        following = step + gap * _cubic(value, slope, state[_OTHER_VALUE, r], state[_OTHER_SLOPE, r], gap)[0]
    else:
        following = state[_HIGH, r] if step > best else state[_LOW, r]
    _enclosed(state, r, value, slope, turned)
    return following


@compiled
def _flattening(state: Any, r: Any, value: Any, slope: Any) -> Any:
    """The step beyond a lower value whose slope has the same sign and is smaller."""
    step, best = state[STEP, r], state[_BEST, r]
    low, high = state[_LOW, r], state[_HIGH, r]
    gap = best - step
    share, root = _cubic(value, slope, state[_BEST_VALUE, r], state[_BEST_SLOPE, r], gap)
    beyond = high if step > best else low
    cubic = step + gap * share if share < 0.0 and root != 0.0 else beyond
    secant = step + gap * (slope / (slope - state[_BEST_SLOPE, r]))
    if state[_BRACKETED, r] == 0.0:
        following = cubic if abs(cubic - step) > abs(secant - step) else secant
        return max(low, min(high, following))
    following = cubic if abs(cubic - step) < abs(secant - step) else secant
    limit = step + _SHRINK * (state[_OTHER, r] - step)
    return min(limit, following) if step > best else max(limit, following)


@inlined
def _cubic(value: Any, slope: Any, far_value: Any, far_slope: Any, gap: Any) -> Any:
    """Where the cubic through two points has its minimum, as a share of the gap between them, and its root."""
    theta = 3.0 * (value - far_value) / gap + slope + far_slope
    size = max(abs(theta), abs(slope), abs(far_slope))
    root = size * math.sqrt(max(0.0, (theta / size) ** 2 - (slope / size) * (far_slope / size)))
    if gap < 0.0:
        root = -root
    return ((root - slope) + theta) / (((root - slope) + root) + far_slope), root


@inlined
def _enclosed(state: Any, r: Any, value: Any, slope: Any, turned: Any) -> None:
    """Put the trial into the interval."""
    higher = value > state[_BEST_VALUE, r]
    if higher:
        state[_OTHER, r], state[_OTHER_VALUE, r], state[_OTHER_SLOPE, r] = state[STEP, r], value, slope
    elif turned:
        state[_OTHER, r] = state[_BEST, r]
        state[_OTHER_VALUE, r], state[_OTHER_SLOPE, r] = state[_BEST_VALUE, r], state[_BEST_SLOPE, r]
    if higher or turned:
        state[_BRACKETED, r] = 1.0
    if not higher:
        state[_BEST, r], state[_BEST_VALUE, r], state[_BEST_SLOPE, r] = state[STEP, r], value, slope
