# ruff: noqa: SLF001 - scales and probabilities have no public name
"""diffprivlib: the method `randomise` of every mechanism, and so every model and tool."""

import sys
from collections.abc import Callable, Iterator
from math import inf
from typing import Any
from zlib import crc32

import numpy as np

from mlaudit.tracing.call_loss import CallLoss
from mlaudit.tracing.followed import release, strip
from mlaudit.tracing.laws import BINGHAM, CHOICE, DECLARED, FLIP, MAPPED, NOISY_MAX, Law
from mlaudit.tracing.recorder import Patch, Recorder
from mlaudit.tracing.tape import Declared, NoiseEvent

_LAPLACE = ("Laplace", "LaplaceTruncated", "LaplaceFolded")
_GEOMETRIC = ("Geometric", "GeometricTruncated", "GeometricFolded")
_GAUSSIAN = ("Gaussian", "GaussianAnalytic")  # of the discrete one the library states ε and δ
_INTERVALS = "a choice between intervals that the data make (diffprivlib's quantiles)"
_OBJECTIVE = "objective perturbation (diffprivlib's Vector): its answer is a function, not a number"


def patches(recorder: Recorder) -> Iterator[Patch]:
    """A followed `randomise` for each mechanism, if diffprivlib is loaded."""
    loaded = sys.modules.get("diffprivlib.mechanisms")
    if loaded is None:
        return
    for kind in {value for value in vars(loaded).values() if isinstance(value, type)}:
        if "randomise" in vars(kind) and not getattr(vars(kind)["randomise"], "__isabstractmethod__", False):
            yield kind, "randomise", _follow(vars(kind)["randomise"], recorder)


def _follow(own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    def randomise(self: Any, value: Any = None) -> Any:
        tape = recorder.active
        release([value])
        value = strip(value)
        with recorder.pause():
            answer = own(self, value) if value is not None else own(self)
        if tape is None:
            return answer
        described = describe(self, value)
        if described is None:
            tape.skip(_OBJECTIVE if type(self).__name__ == "Vector" else _INTERVALS)
            return answer
        law, exact = described
        value, cost = (_describe_domain(self, exact), _cost_in_domain) if law.kind == MAPPED else (None, None)
        name = type(self).__name__
        declared = Declared(name, self.epsilon, self.delta, _sensitivity(self), _rho(self))
        ids = tape.new_ids(np.shape(law.scale))
        return tape.record(
            NoiseEvent(
                law, exact, answer, ids, pure=False, site=tape.locate(), declared=declared, value=value, cost=cost
            )
        )

    return randomise


def describe(mechanism: Any, value: Any) -> tuple[Law, Any] | None:
    """The law of a mechanism's noise and its exact value; None for one that cannot be followed."""
    name = type(mechanism).__name__
    if (
        name == "Vector"
        or getattr(mechanism, "measure", None) is not None
        or not (value is None or np.asarray(value).dtype.kind in "fiubU")
    ):
        return None
    if name in _LAPLACE:
        rate = mechanism.epsilon - np.log(1 - mechanism.delta)
        return Law("laplace", _numbers(mechanism.sensitivity / rate)), _numbers(value)
    if name in _GEOMETRIC:
        return Law("two-sided geometric", _numbers(-1.0 / mechanism._scale)), _numbers(value)
    if name in _GAUSSIAN:
        return Law("normal", _numbers(mechanism._scale)), _numbers(value)
    if name == "LaplaceBoundedDomain":
        inside = np.clip(value, mechanism.lower, mechanism.upper)  # as the mechanism does
        return Law(MAPPED, _numbers(mechanism._scale)), _numbers(inside)
    if name == "PermuteAndFlip":
        rate = mechanism.epsilon / mechanism.sensitivity / (2 - mechanism.monotonic)
        return Law(NOISY_MAX, _numbers(1.0 / rate)), _numbers(mechanism.utility)
    if name == "Exponential":
        return Law(CHOICE, np.ones(1)), np.diff(mechanism._probabilities, prepend=0.0)
    if name == "Binary":
        heads = 1.0 / (1.0 + np.exp(-mechanism.epsilon))
        first = value == mechanism.value0
        return Law(FLIP, _numbers([heads])), _numbers([[0.0 if first else 1.0], [1.0 if first else 0.0]])
    if name == "Bingham":
        return Law(BINGHAM, _numbers(4.0 * mechanism.sensitivity / mechanism.epsilon)), _numbers(value)
    exact = value if np.asarray(value).dtype.kind != "U" else float(crc32(str(value).encode()))
    return Law(DECLARED, _numbers(_sensitivity(mechanism) or 1.0)), _numbers(exact)


def _describe_domain(mechanism: Any, exact: Any) -> tuple[float, ...]:
    """Value, scale, lower and upper end of Laplace noise that is drawn again until the answer lies in the domain."""
    return float(exact), float(mechanism._scale), float(mechanism.lower), float(mechanism.upper)


def _cost_in_domain(one: tuple[float, ...], other: tuple[float, ...]) -> CallLoss:
    """The loss of such noise: the density is e^{−|x−v|/b} over its integral on the domain.

    The log-ratio of two densities is largest at an end of the domain.
    """
    moved, scale = abs(other[0] - one[0]), one[1]
    if not np.allclose(one[1:], other[1:], rtol=1e-9, atol=0.0):
        return CallLoss(inf, moved=moved, scale_moved=True)
    if moved == 0.0 or not np.isfinite(moved) or scale == 0.0:
        return CallLoss(inf if moved else 0.0, moved=moved)
    weights = [_weight_inside(*side) for side in (one, other)]
    return CallLoss(moved / scale + abs(float(np.log(weights[0] / weights[1]))), moved=moved)


def _weight_inside(value: float, scale: float, lower: float, upper: float) -> float:
    """The probability that one draw of Laplace noise around a value of the domain stays in the domain."""
    return float(1.0 - (np.exp((lower - value) / scale) + np.exp((value - upper) / scale)) / 2.0)


def _sensitivity(mechanism: Any) -> float | None:
    found = getattr(mechanism, "sensitivity", None)
    return None if found is None else float(found)


def _rho(mechanism: Any) -> float | None:
    """The zero-concentrated loss of Gaussian noise: half the squared sensitivity over the variance."""
    if type(mechanism).__name__ not in _GAUSSIAN:
        return None
    return 0.5 * float(mechanism.sensitivity / mechanism._scale) ** 2 if mechanism._scale else inf


def _numbers(value: Any) -> Any:
    return np.asarray(value, dtype=float)
