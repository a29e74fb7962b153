"""The numbers of every lane, and the names of their rows."""

from enum import IntEnum, auto
from typing import Any, NamedTuple

import numpy as np

from mlaudit.kernels.lockstep.vectors import Array, aligned_zeros
from mlaudit.types.arrays import FloatArray, IntArray

MEMORY = 10  # pairs that L-BFGS remembers, as in scipy


class Row(IntEnum):
    """The rows of `Lanes.state`."""

    # The current trial of the line search: how many so far, step length, value and slope there.
    TRIALS = 0
    STEP = auto()
    VALUE = auto()
    SLOPE = auto()
    # Value and slope where the line search started.
    START_VALUE = auto()
    START_SLOPE = auto()
    # The end of the interval with the lowest value so far: step length, value, slope.
    BEST = auto()
    BEST_VALUE = auto()
    BEST_SLOPE = auto()
    # The other end of the interval.
    OTHER = auto()
    OTHER_VALUE = auto()
    OTHER_SLOPE = auto()
    # Limits of the next step, widths of the interval, and 0 or 1 for two conditions.
    LOW = auto()
    HIGH = auto()
    WIDTH = auto()
    WIDTH_BEFORE = auto()
    BRACKETED = auto()
    SECOND_STAGE = auto()
    # Numbers of L-BFGS: pairs in memory, iterations so far, largest component of the gradient.
    PAIRS = auto()
    ITERATION = auto()
    NORM = auto()


class Stage(IntEnum):
    """What a lane does next; from NEW on it needs another line search."""

    IDLE = 0
    SEARCHING = auto()
    ENDED = auto()
    NEW = auto()
    MOVED = auto()
    STUCK = auto()


class Outcome(IntEnum):
    """How a lane ended."""

    CONVERGED = 0  # the gradient is small
    LIMIT = auto()  # too many iterations
    FLAT = auto()  # the value no longer falls
    ABNORMAL = auto()  # no lower value along the negative gradient


class Lanes(NamedTuple):
    """Everything that differs between lanes; lanes are the last axis.

    In the notation of L-BFGS, `steps` are s, `changes` are y, `rho` is 1/(y·s), `alpha` the coefficients of the first
    loop and `gamma` the scale of the initial Hessian. A missing pair has ρ = 0, so that it changes nothing.

    Kernels take arrays out of the tuple before a loop over lanes: inside, numba would count a reference each time,
    which cost a fifth of the time.
    """

    noise_row: IntArray  # the row of noise that the lane works on; −1 in an idle lane
    stage: IntArray
    outcome: IntArray
    state: FloatArray
    noise: Array
    point: Array
    gradient: Array
    direction: Array
    trial: Array
    trial_gradient: Array
    spare: Array
    steps: Array
    changes: Array
    rho: Array
    alpha: Array
    gamma: Array
    work: Array


def allocate_lanes(variables: int, width: int, dtype: np.dtype[Any]) -> Lanes:
    """Make `width` idle lanes for that many variables."""

    def zeros(*shape: int) -> Array:
        return aligned_zeros((*shape, width), dtype)

    return Lanes(
        noise_row=np.full(width, -1, dtype=np.int64),
        stage=np.full(width, Stage.IDLE, dtype=np.int64),
        outcome=np.zeros(width, dtype=np.int64),
        state=aligned_zeros((len(Row), width), np.dtype(float)),
        noise=zeros(variables),
        point=zeros(variables),
        gradient=zeros(variables),
        direction=zeros(variables),
        trial=zeros(variables),
        trial_gradient=zeros(variables),
        spare=zeros(variables),
        steps=zeros(MEMORY, variables),
        changes=zeros(MEMORY, variables),
        rho=zeros(MEMORY),
        alpha=zeros(MEMORY),
        gamma=zeros(),
        work=zeros(4),
    )


def drop_idle_lanes(lanes: Lanes) -> Lanes:
    """Return copies of the lanes that still work."""
    live = np.flatnonzero(lanes.noise_row >= 0)
    return Lanes(*(np.ascontiguousarray(array[..., live]) for array in lanes))
