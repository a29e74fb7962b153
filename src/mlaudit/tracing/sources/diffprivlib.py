# ruff: noqa: SLF001 - scales and probabilities have no public name
"""diffprivlib: the method `randomise` of every mechanism, and so every model and tool."""

import sys
from collections.abc import Callable, Iterator
from math import inf
from typing import Any
from zlib import crc32

import numpy as np

from mlaudit.tracing.followed import release, strip
from mlaudit.tracing.laws import BINGHAM, CHOICE, DECLARED, FLIP, NOISY_MAX, Law
from mlaudit.tracing.recorder import Patch, Recorder
from mlaudit.tracing.tape import Declared, NoiseEvent

_LAPLACE = ("Laplace", "LaplaceTruncated", "LaplaceFolded")
_GEOMETRIC = ("Geometric", "GeometricTruncated", "GeometricFolded")
_GAUSSIAN = ("Gaussian", "GaussianAnalytic", "GaussianDiscrete")
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
            tape.skip(_OBJECTIVE)
            return answer
        law, exact = described
        name = type(self).__name__
        declared = Declared(name, self.epsilon, self.delta, _sensitivity(self), _rho(self))
        ids = tape.new_ids(np.shape(law.scale))
        return tape.record(NoiseEvent(law, exact, answer, ids, pure=False, site=tape.locate(), declared=declared))

    return randomise


def describe(mechanism: Any, value: Any) -> tuple[Law, Any] | None:
    """The law of a mechanism's noise and its exact value; None for one that cannot be followed."""
    name = type(mechanism).__name__
    if name == "Vector" or not (value is None or np.asarray(value).dtype.kind in "fiubU"):
        return None
    if name in _LAPLACE:
        rate = mechanism.epsilon - np.log(1 - mechanism.delta)
        return Law("laplace", _numbers(mechanism.sensitivity / rate)), _numbers(value)
    if name in _GEOMETRIC:
        return Law("two-sided geometric", _numbers(-1.0 / mechanism._scale)), _numbers(value)
    if name in _GAUSSIAN:
        return Law("normal", _numbers(mechanism._scale)), _numbers(value)
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
