"""Minimise many logistic objectives that share the data and differ in a linear term, the noise."""

import math
from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled
from mlaudit.kernels.lockstep.objective import allocate_workspace, evaluate, evaluate_saturated, evaluate_single
from mlaudit.kernels.lockstep.problem import Problem
from mlaudit.kernels.lockstep.products import BLOCK, Entries
from mlaudit.kernels.lockstep.schedule import advance_lanes, start_lanes
from mlaudit.kernels.lockstep.state import Lanes, allocate_lanes, drop_idle_lanes
from mlaudit.kernels.lockstep.vectors import aligned_zeros
from mlaudit.types.arrays import FloatArray, IntArray


def minimise_single(shared: Problem, entries: Entries, noise: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
    """Minimise in single precision, for noise for which every objective has a minimiser.

    A lane that ends takes the next row of noise, so that no lane is idle while others work.

    Args:
        shared: The problem, of single precision.
        entries: Its rows, as `list_entries` lists them.
        noise: A row b for each objective, which adds b·w/n to it.
        width: How many lanes work side by side, a multiple of `products.WIDTH`.

    Returns:
        Where L-BFGS ends for each row of noise, and its `Outcome`.
    """
    points, outcomes = np.zeros_like(noise), np.zeros(len(noise), dtype=np.int64)
    lanes = _lanes_for(shared, width)
    z, rise = (aligned_zeros(shape, lanes.trial.dtype) for shape in ((BLOCK, width), lanes.trial.shape))
    _run_lanes(lanes, shared, entries, z, np.empty(width), rise, noise, points, outcomes)
    return points, outcomes


def minimise_double(shared: Problem, noise: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
    """Minimise in double precision, also for noise for which the intercept has no minimiser.

    Such an intercept soon decides every row, and then runs on for long without needing the data. So lanes work in
    groups that start together, and a group whose intercepts all decide every row continues without products.

    Args:
        shared: The problem, of double precision.
        noise: A row b for each objective, which adds b·w/n to it.
        width: How many lanes work side by side, at most.

    Returns:
        Where L-BFGS ends for each row of noise, and its `Outcome`.
    """
    points, outcomes = np.zeros_like(noise), np.zeros(len(noise), dtype=np.int64)
    width = 8 * math.ceil(len(noise) / math.ceil(len(noise) / width) / 8)  # as many in each group
    space = allocate_workspace(shared, width)
    for first in range(0, len(noise), width):
        group = slice(first, first + width)
        lanes = _lanes_for(shared, width)
        start_lanes(lanes, shared, noise[group], 0)
        while (lanes.noise_row >= 0).any():
            loss, rise = evaluate(lanes.trial, space)
            evaluate_saturated(lanes, shared, loss, rise)
            advance_lanes(lanes, shared, loss, rise, noise[group], width, points[group], outcomes[group])
            while _run_saturated(lanes, shared, loss, rise, noise[group], points[group], outcomes[group]):
                lanes = drop_idle_lanes(lanes)
                loss, rise = np.empty(len(lanes.noise_row)), np.empty_like(lanes.trial)
    return points, outcomes


def _lanes_for(shared: Problem, width: int) -> Lanes:
    return allocate_lanes(shared.rows.shape[1], width, shared.rows.dtype)


@compiled
def _run_lanes(
    lanes: Any, shared: Any, entries: Any, z: Any, loss: Any, rise: Any, noise: Any, points: Any, outcomes: Any
) -> None:
    """Evaluate and advance all lanes until every row of noise has ended."""
    started = start_lanes(lanes, shared, noise, np.int64(0))  # a literal would be compiled once more
    while lanes.noise_row.max() >= 0:
        evaluate_single(entries, lanes.trial, z, loss, rise)
        started = advance_lanes(lanes, shared, loss, rise, noise, started, points, outcomes)


@compiled
def _run_saturated(lanes: Any, shared: Any, loss: Any, rise: Any, noise: Any, points: Any, outcomes: Any) -> Any:
    """Advance while no lane needs the data.

    Returns True when a quarter of the lanes are idle and others are not: the caller then drops the idle lanes.
    """
    while evaluate_saturated(lanes, shared, loss, rise):
        advance_lanes(lanes, shared, loss, rise, noise, len(noise), points, outcomes)
        live = 0
        for r in range(lanes.noise_row.size):
            live += lanes.noise_row[r] >= 0
        if 4 * live <= 3 * lanes.noise_row.size:
            return live > 0
    return False
