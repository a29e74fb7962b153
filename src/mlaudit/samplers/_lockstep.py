"""L-BFGS on many logistic objectives in lockstep: one product with the data serves one step of every lane.

The objectives share the data and differ in a linear term, the noise. A lane takes the steps that scipy's
`fmin_l_bfgs_b` takes from zero without bounds: ten pairs of memory, a first step of length 1, the same line search,
the same tests for stopping. So it ends where scipy ends, inexact as that is, and not just near the same minimiser: in
double precision to some 1e-12, in single to far less than the tolerance.

Arrays hold a lane in each column. Loops over lanes are then elementwise: the compiler vectorises them without
reordering a sum, and no lane's numbers depend on its neighbours. A lane that ends takes the next row of noise, and
products always have the same shape, since BLAS may round differently in another (in single precision: in double,
with few rows at a time, no kernel of OpenBLAS that was tried does).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mlaudit.samplers._lane_factorisation import singular
from mlaudit.samplers._lane_losses import curved, leaves, losses, margins
from mlaudit.samplers._lane_vectors import (
    Array,
    added,
    aligned,
    along,
    chosen,
    dots,
    opposed,
    rounded,
    scaled,
    slopes,
    times,
)
from mlaudit.samplers._line_search import (
    FIELDS,
    MAX_STEP,
    MAX_TRIALS,
    SLOPE,
    START_SLOPE,
    START_VALUE,
    STEP,
    TRIALS,
    VALUE,
    accepted,
    narrowed,
    opened,
)
from mlaudit.samplers._numba import compiled, fused, inlined
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

_MEMORY = 10
_EPSILON = 2.220446049250313e-16
_REDUCTION = 64 * _EPSILON

# What a lane is doing; from _NEW on it needs another line search.
_IDLE, _SEARCHING, _DONE, _NEW, _MOVED, _STUCK = range(6)

# How it ended: small gradient, too many iterations, no lower value, no lower value along the gradient.
CONVERGED, LIMIT, FLAT, ABNORMAL = range(4)

# The rows of Lanes.state after those of the line search.
_STAGE, _ENDED, _PAIRS, _ITERATION, _NORM, _FIELDS = range(FIELDS, FIELDS + 6)

_SMALL = 1_000_000  # OpenBLAS computes products of so few terms at once, faster than larger ones
_FEW = 256  # rows in a block, at most: their factors of up to 2 fit in a double
_ROUNDING = 1e-4  # values closer than this are too close for single precision
_SATURATED = 40.0  # tanh of its half is 1 in double precision
_PARALLEL = 1e-14  # scipy's factorisation was seen to fail below 1e-15


class Problem(NamedTuple):
    """What all lanes share: ½·(±x) for each row x of the data, the penalty of the mean objective, when to stop.

    `rounding`: values of the objective that are closer than that are told apart by their slopes; 0 in double
    precision. `sides`, `leaves` and `reach` give the loss where the last coordinate, an intercept, decides every row.
    """

    rows: Array
    penalty: FloatArray
    uphill: FloatArray
    sides: FloatArray
    leaves: IntArray
    reach: float
    tolerance: float
    iterations: int
    rounding: float


class Lanes(NamedTuple):
    """The state of every lane; lanes are the last axis."""

    row: IntArray
    state: FloatArray
    noise: Array
    point: Array
    gradient: Array
    direction: Array
    trial: Array
    fresh: Array
    spare: Array
    steps: Array
    changes: Array
    weight: Array
    share: Array
    scale: Array
    work: Array


class _Space(NamedTuple):
    """The data in blocks, and what an evaluation writes to; of full width."""

    blocks: tuple[tuple[Array, Array, Array], ...]
    trial: Array
    part: Array
    loss: FloatArray
    pull: Array


def problem(
    data: FloatArray,
    positive: BoolArray,
    penalty: FloatArray,
    *,
    dtype: type[np.floating[Any]],
    intercept: bool,
    tolerance: float,
    iterations: int,
) -> Problem:
    """Mean logistic loss of the data + ½ Σ penalty·w², for lanes of the given precision.

    With rows signed by their label the loss is log(1 + e^{−z}) for all, and next to nothing for rows fitted well.
    """
    signed = 0.5 * data * np.where(positive, 1.0, -1.0)[:, None]
    return Problem(
        rows=np.ascontiguousarray(signed, dtype=dtype),
        penalty=np.ascontiguousarray(penalty, dtype=float),
        uphill=-signed.sum(axis=0),
        sides=np.stack([-data[positive].sum(axis=0), data[~positive].sum(axis=0)]),
        leaves=np.array(leaves(0, len(data))),
        reach=float(np.linalg.norm(data[:, :-1], axis=1).max()) if intercept else math.inf,
        tolerance=tolerance,
        iterations=iterations,
        rounding=_ROUNDING if dtype is np.float32 else 0.0,
    )


def solved(shared: Problem, noise: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
    """Where L-BFGS ends for each row b of noise, which adds b·w/n to the objective, and how; in single precision."""
    points, ended = np.zeros_like(noise), np.zeros(len(noise), dtype=np.int64)
    lanes = _lanes(shared, width)
    size = _block(shared, width)
    z, part = aligned((size, width), lanes.trial.dtype), aligned(lanes.trial.shape, lanes.trial.dtype)
    pull, loss = aligned(lanes.trial.shape, lanes.trial.dtype), np.empty(width)
    _solved(lanes, shared, z, part, loss, pull, noise, points, ended)
    return points, ended


@compiled
def _solved(
    lanes: Any, shared: Any, z: Any, part: Any, loss: Any, pull: Any, noise: Any, points: Any, ended: Any
) -> None:
    """One evaluation of every lane after the other, until all rows of noise have ended."""
    rows, size = shared.rows, len(z)
    started = _begun(lanes, shared, noise, 0)
    while lanes.row.max() >= 0:
        loss[:] = 0.0
        pull[:] = 0.0
        for first in range(0, len(rows), size):
            block = rows[first : first + size]
            here = z[: len(block)]
            np.dot(block, lanes.trial, here)
            curved(here, loss)
            np.dot(block.T, here, part)
            pull += part
        started = _advanced(lanes, shared, loss, pull, noise, started, points, ended)


def followed(shared: Problem, noise: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
    """As `solved`, for double precision and noise for which the intercept may have no minimiser.

    Such lanes soon leave the data behind and climb on for long, so they start together and then need no products.
    """
    points, ended = np.zeros_like(noise), np.zeros(len(noise), dtype=np.int64)
    width = 8 * math.ceil(len(noise) / math.ceil(len(noise) / width) / 8)  # as many in each group
    space = _space(shared, width)
    for first in range(0, len(noise), width):
        mine = slice(first, first + width)
        lanes = _lanes(shared, width)
        _begun(lanes, shared, noise[mine], 0)
        while (lanes.row >= 0).any():
            loss, pull = _evaluated(lanes.trial, space)
            _saturated(lanes, shared, loss, pull)
            _advanced(lanes, shared, loss, pull, noise[mine], width, points[mine], ended[mine])
            while _coasted(lanes, shared, loss, pull, noise[mine], points[mine], ended[mine]):
                lanes = _live(lanes)
                loss, pull = np.empty(len(lanes.row)), np.empty_like(lanes.trial)
    return points, ended


def _lanes(shared: Problem, width: int) -> Lanes:
    p, dtype = shared.rows.shape[1], shared.rows.dtype

    def zeros(*shape: int) -> Array:
        return aligned((*shape, width), dtype)

    return Lanes(
        row=np.full(width, -1, dtype=np.int64),
        state=aligned((_FIELDS, width), np.dtype(float)),
        noise=zeros(p),
        point=zeros(p),
        gradient=zeros(p),
        direction=zeros(p),
        trial=zeros(p),
        fresh=zeros(p),
        spare=zeros(p),
        steps=zeros(_MEMORY, p),
        changes=zeros(_MEMORY, p),
        weight=zeros(_MEMORY),
        share=zeros(_MEMORY),
        scale=zeros(),
        work=zeros(4),
    )


def _live(lanes: Lanes) -> Lanes:
    """The lanes that are not idle."""
    live = np.flatnonzero(lanes.row >= 0)
    return Lanes(*(np.ascontiguousarray(a[..., live]) for a in lanes))


def _block(shared: Problem, width: int) -> int:
    """How many rows are multiplied at a time."""
    n, p = (int(k) for k in shared.rows.shape)
    most = min(max(_SMALL // (p * width), 16), _FEW)
    return math.ceil(n / math.ceil(n / most))


def _space(shared: Problem, width: int) -> _Space:
    (n, p), dtype = shared.rows.shape, shared.rows.dtype
    size = _block(shared, width)
    z, t = (aligned((size, width), dtype) for _ in range(2))
    rows = [shared.rows[first : first + size] for first in range(0, n, size)]
    trial, part, pull = (aligned((p, width), dtype) for _ in range(3))
    return _Space(tuple((x, z[: len(x)], t[: len(x)]) for x in rows), trial, part, np.empty(width), pull)


def _evaluated(trial: Array, space: _Space) -> tuple[FloatArray, Array]:
    """The summed loss at every lane's trial, and its gradient."""
    width = trial.shape[1]
    if width < space.trial.shape[1]:
        space.trial[:, :width] = trial
        trial = space.trial
    space.loss[:] = 0.0
    space.pull[:] = 0.0
    for rows, z, t in space.blocks:
        np.dot(rows, trial, out=z)
        np.tanh(z, out=t)
        losses(z, t, space.loss)
        np.add(space.pull, np.dot(rows.T, t, out=space.part), out=space.pull)
    return space.loss[:width], np.ascontiguousarray(space.pull[:, :width])


@compiled
def _coasted(lanes: Any, shared: Any, loss: Any, pull: Any, noise: Any, points: Any, ended: Any) -> Any:
    """Go on while no lane needs the data; stops early, and says so, when a quarter of the lanes are idle."""
    while _saturated(lanes, shared, loss, pull):
        _advanced(lanes, shared, loss, pull, noise, len(noise), points, ended)
        live = 0
        for r in range(lanes.row.size):
            live += lanes.row[r] >= 0
        if 4 * live <= 3 * lanes.row.size:
            return live > 0
    return False


@compiled
def _saturated(lanes: Any, shared: Any, loss: Any, pull: Any) -> Any:
    """Set loss and gradient of the lanes whose intercept decides every row: linear there. Is it so in all of them?"""
    trial, square, far = lanes.trial, lanes.work[0], lanes.work[1]
    last, every, some = len(trial) - 1, True, False
    dots(square, trial[:last], trial[:last])
    for r in range(lanes.row.size):
        far[r] = abs(trial[last, r]) > _SATURATED + shared.reach * math.sqrt(square[r])
        every &= far[r] > 0.0 or lanes.row[r] < 0
        some |= far[r] > 0.0
    if some:
        total = np.empty_like(loss)
        margins(np.dot(shared.rows, trial), shared.leaves, total)
        for r in range(lanes.row.size):
            loss[r] = total[r] if far[r] > 0.0 else loss[r]
        for j in range(last + 1):
            low, high = shared.sides[0, j] - shared.uphill[j], shared.sides[1, j] - shared.uphill[j]
            for r in range(lanes.row.size):
                side = high if trial[last, r] > 0.0 else low
                pull[j, r] = side if far[r] > 0.0 else pull[j, r]
    return every


@compiled
def _advanced(
    lanes: Any, shared: Any, loss: Any, pull: Any, noise: Any, started: Any, points: Any, ended: Any
) -> Any:
    """Judge every lane's trial and set the next one; returns how many rows of noise have been started."""
    exact = shared.rounding == 0.0
    _measured(lanes, shared, loss, pull)
    _judged(lanes.state, shared.tolerance, shared.iterations)
    _remembered(lanes)
    if exact:
        _doubted(lanes)
    _redirected(lanes, exact)
    _collected(lanes, points, ended)
    return _begun(lanes, shared, noise, started)


@compiled
def _begun(lanes: Any, shared: Any, noise: Any, started: Any) -> Any:
    """Fill the free lanes and set every lane's trial."""
    started = _filled(lanes, shared, noise, started)
    _aimed(lanes, shared.tolerance)
    factor = lanes.work[0]
    factor[:] = lanes.state[STEP]
    along(lanes.trial, lanes.point, factor, lanes.direction)
    return started


# ---- the objective


@compiled
def _measured(lanes: Any, shared: Any, loss: Any, pull: Any) -> None:
    """Value, gradient, its largest component and the slope at every trial."""
    state, n = lanes.state, shared.rows.shape[0]
    _gradients(lanes.fresh, pull, lanes.noise, lanes.trial, shared.penalty, shared.uphill, n)
    _values(state[VALUE], state[SLOPE], loss, lanes.noise, lanes.trial, shared.penalty, n)
    slopes(state[SLOPE], state[_NORM], lanes.fresh, lanes.direction)
    for r in range(state.shape[1]):
        step, start = state[STEP, r], state[START_SLOPE, r]
        if abs(step * start) < shared.rounding:
            state[VALUE, r] = state[START_VALUE, r] + 0.5 * step * (start + state[SLOPE, r])


@fused
def _gradients(out: Any, pull: Any, noise: Any, trial: Any, penalty: Any, uphill: Any, n: Any) -> None:
    """The gradient of the mean objective."""
    share = pull.dtype.type(1.0 / n)
    for j in range(out.shape[0]):
        weight, base = pull.dtype.type(penalty[j]), pull.dtype.type(uphill[j])
        for r in range(out.shape[1]):
            out[j, r] = ((pull[j, r] + base) + noise[j, r]) * share + weight * trial[j, r]


@fused
def _values(value: Any, total: Any, loss: Any, noise: Any, trial: Any, penalty: Any, n: Any) -> None:
    """The mean objective in double precision, rounded where the library rounds it."""
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


# ---- the steps


@compiled
def _judged(state: Any, tolerance: Any, iterations: Any) -> None:
    """What every lane does after its trial."""
    for r in range(state.shape[1]):
        if state[_STAGE, r] != _SEARCHING:
            continue
        state[TRIALS, r] += 1.0
        if accepted(state, r):
            state[_ITERATION, r] += 1.0
            state[_STAGE, r] = _MOVED
            _stopped(state, r, tolerance, iterations)
        elif state[TRIALS, r] < MAX_TRIALS:
            narrowed(state, r)
        elif state[_PAIRS, r] > 0.0:
            state[_STAGE, r] = _STUCK
        else:
            state[_STAGE, r], state[_ENDED, r] = _DONE, ABNORMAL


@inlined
def _stopped(state: Any, r: Any, tolerance: Any, iterations: Any) -> None:
    """Is the new point the last?"""
    before, after = state[START_VALUE, r], state[VALUE, r]
    if state[_NORM, r] <= tolerance:
        state[_STAGE, r], state[_ENDED, r] = _DONE, CONVERGED
    elif state[_ITERATION, r] >= iterations:
        state[_STAGE, r], state[_ENDED, r] = _DONE, LIMIT
    elif not before - after > _REDUCTION * max(abs(before), abs(after), 1.0):
        state[_STAGE, r], state[_ENDED, r] = _DONE, FLAT


@compiled
def _remembered(lanes: Any) -> None:
    """Store step and change of gradient of the lanes that moved, newest first, and take their trial for the point."""
    state, steps, changes, weight, spare = lanes.state, lanes.steps, lanes.changes, lanes.weight, lanes.spare
    moved, bend, factor, square = lanes.work[0], lanes.work[1], lanes.work[2], lanes.work[3]
    longest = 0.0
    for r in range(state.shape[1]):
        step, start = state[STEP, r], state[START_SLOPE, r]
        rise = (state[SLOPE, r] - start) * step
        moved[r] = state[_STAGE, r] == _MOVED
        factor[r] = step
        bend[r] = 0.0
        if state[_STAGE, r] == _MOVED and rise > -_EPSILON * start * step:
            bend[r] = rise
            state[_PAIRS, r] = min(state[_PAIRS, r] + 1.0, _MEMORY)
            longest = max(longest, state[_PAIRS, r])
    for k in range(int(longest) - 1, 0, -1):
        chosen(steps[k], bend, steps[k - 1])
        chosen(changes[k], bend, changes[k - 1])
        chosen(weight[k : k + 1], bend, weight[k - 1 : k])
    times(spare, factor, lanes.direction)
    chosen(steps[0], bend, spare)
    factor[:] = -1.0
    along(spare, lanes.fresh, factor, lanes.gradient)
    chosen(changes[0], bend, spare)
    dots(square, changes[0], changes[0])
    for r in range(state.shape[1]):
        if bend[r] > 0.0:
            weight[0, r] = 1.0 / bend[r]
            lanes.scale[r] = bend[r] / square[r]
    chosen(lanes.point, moved, lanes.trial)
    chosen(lanes.gradient, moved, lanes.fresh)


@compiled
def _redirected(lanes: Any, exact: Any) -> None:
    """The next direction of the lanes that moved, by the two loops of L-BFGS, and of those that start over.

    A pair that is not there has weight 0 and changes nothing.
    """
    state, steps, changes, weight, share = lanes.state, lanes.steps, lanes.changes, lanes.weight, lanes.share
    turning, total, none, d = lanes.work[0], lanes.work[1], lanes.work[2], lanes.spare
    longest = 0.0
    for r in range(state.shape[1]):
        if state[_STAGE, r] == _STUCK:
            _forgotten(lanes, r)
        turning[r] = state[_STAGE, r] >= _MOVED
        longest = max(longest, state[_PAIRS, r])
    none[:] = 0.0
    total[:] = -1.0
    times(d, total, lanes.gradient)
    for k in range(int(longest)):
        dots(total, steps[k], d)
        opposed(share[k], none, weight[k], total)
        added(d, share[k], changes[k])
    scaled(d, lanes.scale)
    for k in range(int(longest) - 1, -1, -1):
        dots(total, changes[k], d)
        opposed(total, share[k], weight[k], total)
        added(d, total, steps[k])
    if exact:
        rounded(d, lanes.point)
    chosen(lanes.direction, turning, d)


@compiled
def _forgotten(lanes: Any, r: Any) -> None:
    """Clear a lane's memory."""
    lanes.state[_PAIRS, r] = 0.0
    lanes.scale[r] = 1.0
    lanes.weight[:, r] = 0.0


@compiled
def _aimed(lanes: Any, tolerance: Any) -> None:
    """Start the line searches along new directions; one that does not descend is replaced by the gradient's."""
    state = lanes.state
    slopes(state[SLOPE], state[_NORM], lanes.gradient, lanes.direction)
    for r in range(state.shape[1]):
        stage = state[_STAGE, r]
        if stage < _NEW:
            continue
        if state[_PAIRS, r] > 0.0 and not state[SLOPE, r] < 0.0:
            _forgotten(lanes, r)
            state[SLOPE, r] = _reversed(lanes, r)
        slope = state[SLOPE, r]
        state[_STAGE, r] = _SEARCHING
        if stage == _NEW and state[_NORM, r] <= tolerance:
            state[_STAGE, r], state[_ENDED, r], state[STEP, r] = _DONE, CONVERGED, 0.0
        elif not slope < 0.0:
            state[_STAGE, r], state[_ENDED, r], state[STEP, r] = _DONE, ABNORMAL, 0.0
        elif stage == _NEW:
            opened(state, r, math.log(2.0), slope, min(1.0 / math.sqrt(-slope), MAX_STEP))
        else:
            opened(state, r, state[VALUE if stage == _MOVED else START_VALUE, r], slope, 1.0)


@compiled
def _reversed(lanes: Any, r: Any) -> Any:
    """Turn a lane against its gradient; returns the slope."""
    slope = 0.0
    for j in range(lanes.point.shape[0]):
        x, g = lanes.point[j, r], lanes.gradient[j, r]
        lanes.direction[j, r] = (x - g) - x
        slope += np.float64(g) * np.float64(lanes.direction[j, r])
    return slope


@compiled
def _doubted(lanes: Any) -> None:
    """Forget the pairs of lanes for which scipy's factorisation fails; never while steps have two coordinates."""
    state, square, rest = lanes.state, lanes.work[0], lanes.work[1]
    dots(square, lanes.steps[0], lanes.steps[0])
    dots(rest, lanes.steps[0, :-1], lanes.steps[0, :-1])
    for r in range(state.shape[1]):
        if (
            state[_STAGE, r] == _MOVED
            and rest[r] < _PARALLEL * square[r]
            and singular(lanes, r, int(state[_PAIRS, r]))
        ):
            _forgotten(lanes, r)


# ---- rows of noise come and go


@compiled
def _collected(lanes: Any, points: Any, ended: Any) -> None:
    """Hand over where lanes ended, and free them."""
    state, row = lanes.state, lanes.row
    for r in range(row.size):
        if state[_STAGE, r] == _DONE:
            source = lanes.point if state[_ENDED, r] == ABNORMAL else lanes.trial
            for j in range(source.shape[0]):
                points[row[r], j] = source[j, r]
            ended[row[r]] = int(state[_ENDED, r])
            state[_STAGE, r] = _IDLE
            row[r] = -1


@compiled
def _filled(lanes: Any, shared: Any, noise: Any, started: Any) -> Any:
    """Give the next rows of noise to free lanes: at zero, against the gradient there."""
    state, spare, new, factor = lanes.state, lanes.spare, lanes.work[0], lanes.work[1]
    first = started
    for r in range(lanes.row.size):
        new[r] = 0.0
        if lanes.row[r] < 0 and started < len(noise):
            for j in range(noise.shape[1]):
                lanes.noise[j, r] = noise[started, j]
            lanes.row[r] = started
            state[_STAGE, r], state[_ITERATION, r] = _NEW, 0.0
            _forgotten(lanes, r)
            new[r] = 1.0
            started += 1
    if started > first:
        spare[:] = 0.0
        chosen(lanes.point, new, spare)
        _uphill(spare, lanes.noise, shared.uphill, shared.rows.shape[0])
        chosen(lanes.gradient, new, spare)
        factor[:] = -1.0
        times(spare, factor, lanes.gradient)
        chosen(lanes.direction, new, spare)
    return started


@compiled
def _uphill(out: Any, noise: Any, uphill: Any, n: Any) -> None:
    """The gradient at zero."""
    for j in range(out.shape[0]):
        for r in range(out.shape[1]):
            out[j, r] = (uphill[j] + noise[j, r]) / n
