"""diffprivlib's LogisticRegression, many at once: noise of its distribution, then its minimiser's own steps.

The library stops L-BFGS at a gradient of 1e-4, or after 100 iterations however far it is by then, and lets an
intercept without minimiser run to 1e19. All of that is part of what it returns, so the steps are followed, not only
the objective: given the library's noise this returns the library's coefficients.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput
from mlaudit.kernels.jit import compiled
from mlaudit.kernels.lockstep.minimise import minimise_double, minimise_single
from mlaudit.kernels.lockstep.problem import Problem, build_problem
from mlaudit.kernels.lockstep.products import Entries, list_entries
from mlaudit.kernels.lockstep.state import Outcome
from mlaudit.kernels.xoshiro import key_of, seed_stream
from mlaudit.mechanisms._diffprivlib import classes_of, require_domain
from mlaudit.mechanisms.logistic_objective import LogisticObjective
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.samplers.logistic_output_batched import draw_gamma_norm_noise
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import L2Ball

_TOLERANCE, _ITERATIONS = 1e-4, 100  # the library's defaults
_SMOOTHNESS = 0.25  # of the logistic loss
_SURE = 0.99  # of the noise that leaves the intercept a minimiser, single precision is enough for
_COARSE = 16.0  # above this mean of a column, single precision rounds gradients by a hundredth of the tolerance
_NARROW = 16  # columns
_GROUP = 256  # lanes in double precision, which take no new rows


@dataclass(frozen=True, eq=False)
class Batch:
    """Draws coefficients, and the intercept if there is one, of trainings on one dataset.

    Noise whose last component lies outside `sure` is followed in double precision. It may leave the intercept without
    minimiser, and where that ends is decided by rounding; or the data have columns too large for single precision.
    """

    single: Problem
    entries: Entries
    double: Problem
    scale: float
    sure: tuple[float, float]

    def __call__(self, n: int, seed: SeedSequence) -> FloatArray:
        """`n` summaries, as rows."""
        noise = np.empty((n, self.single.rows.shape[1]))
        _draw_noise(key_of(seed), self.scale, noise)
        return self.minimise(noise)

    def minimise(self, noise: FloatArray) -> FloatArray:
        """What the library returns for each row of noise."""
        low, high = self.sure
        doubtful = (noise[:, -1] <= low) | (noise[:, -1] >= high)
        out, sure = np.empty_like(noise), np.flatnonzero(~doubtful)
        out[sure], ended = minimise_single(self.single, self.entries, noise[sure], self.width)
        doubtful[sure[(ended == Outcome.FLAT) | (ended == Outcome.ABNORMAL)]] = True
        if doubtful.any():
            out[doubtful] = minimise_double(self.double, noise[doubtful], _GROUP)[0]
        return out

    @property
    def width(self) -> int:
        """Lanes: enough to share the cost of a step, few enough for their memory to stay in the cache."""
        return 128 if self.single.rows.shape[1] <= _NARROW else 64


def refusal(mechanism: LogisticObjective, data: Dataset) -> str:
    """Why these trainings are left to the library, which refuses them itself; "" if they are not."""
    if len(np.unique(np.asarray(data.y))) > 2:
        return "it supports two classes only, and D has more"
    try:
        classes = classes_of(data)
    except InvalidInput as error:
        return str(error)
    whole = all(isinstance(label, str) or float(label).is_integer() for label in classes)
    return "" if whole else f"labels must be whole numbers or text, got {classes}; rename the classes"


def prepare(mechanism: LogisticObjective, data: Dataset, target: FloatArray | None) -> Batch:
    """The objective that all trainings on these rows share, and the scale of their noise."""
    if reason := refusal(mechanism, data):
        raise InvalidInput(reason)
    radius = require_domain(L2Ball, data).radius
    rows = data.X / np.maximum(np.linalg.norm(data.X, axis=1) / radius, 1.0)[:, None]
    positive = np.asarray(data.y == classes_of(data)[1])
    n = len(rows)
    if mechanism.intercept:
        rows, radius = np.hstack([rows, np.ones((n, 1))]), math.hypot(radius, 1.0)
    scale, extra = calibrate_noise(mechanism.epsilon, mechanism.C, radius)
    penalty = np.full(rows.shape[1], (1.0 / mechanism.C + extra) / n)
    sure = -math.inf, math.inf
    if mechanism.intercept:
        penalty[-1] = extra / n
        if extra == 0.0:
            sure = -_SURE * float(np.sum(~positive)), _SURE * float(np.sum(positive))
    if np.abs(rows).mean(axis=0).max() > _COARSE:
        sure = 0.0, 0.0
    single, double = (
        build_problem(
            rows,
            positive,
            penalty,
            dtype=dtype,
            intercept=mechanism.intercept,
            tolerance=_TOLERANCE,
            max_iterations=_ITERATIONS,
        )
        for dtype in (np.float32, np.float64)
    )
    return Batch(single, list_entries(single.rows), double, scale, sure)


def calibrate_noise(epsilon: float, C: float, radius: float) -> tuple[float, float]:
    """The scale of the noise's norm, and the penalty nΔ that is added to 1/C where ε is too small for 1/C alone.

    The penalty 1/C is on coefficients only, Δ on the intercept too.
    """
    left = epsilon - 2.0 * math.log(1.0 + _SMOOTHNESS * radius * C)
    if left > 0.0:
        return 2.0 * radius / left, 0.0
    return 4.0 * radius / epsilon, _SMOOTHNESS * radius / math.expm1(epsilon / 4.0) - 1.0 / C


@compiled
def _draw_noise(key: Any, scale: Any, out: Any) -> None:
    """The library's noise: uniform direction, Gamma(p) norm, where p counts the intercept."""
    state = np.empty(4, np.uint64)
    for row in range(len(out)):
        seed_stream(key, row, state)
        draw_gamma_norm_noise(state, scale, out[row])


SAMPLER = SamplerSpec(prepare=prepare, stands_for={"diffprivlib": "0.6.6"}, refusal=refusal)
