"""numpy: generators, random states and the functions of `numpy.random`.

Draws with a location are answers: the location is the value before the noise. All draws are arrays that remember
their noise, so that a value that is added later is known as well.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState, default_rng

from mlaudit.tracing.followed import record_answer, release, strip
from mlaudit.tracing.laws import CHOICE, OTHER, Law
from mlaudit.tracing.recorder import Patch, Recorder, replace_everywhere
from mlaudit.tracing.tape import NoiseEvent, Tape

_LOCATED = ("laplace", "normal", "logistic", "gumbel")  # (loc, scale, size)
_STANDARD = {"standard_normal": "normal", "standard_exponential": "exponential", "randn": "normal"}
_UNIT = ("random", "random_sample", "rand", "sample", "ranf")  # uniform on [0, 1)
# Draws whose law is not made use of: a training on the other dataset gets the same.
_OTHER = ("gamma", "standard_gamma", "chisquare", "beta", "standard_t", "standard_cauchy", "multivariate_normal")
_FOLLOWED = (*_OTHER, *_LOCATED, *_STANDARD, *_UNIT, "exponential", "geometric", "uniform", "choice")


def patches(recorder: Recorder) -> Iterator[Patch]:
    """Followed classes for generators and random states, in every module that names the usual ones."""
    generator, state = _subclass(Generator, recorder), _subclass(RandomState, recorder)

    def make_generator(seed: Any = None) -> Generator:
        if isinstance(seed, Generator):
            return seed
        return generator(default_rng(seed).bit_generator) if recorder.active is not None else default_rng(seed)

    changed: dict[int, Any] = {
        id(default_rng): make_generator,
        id(Generator): generator,
        id(RandomState): state,
    }
    for name in _FOLLOWED:
        own = getattr(np.random, name, None)
        if own is not None:
            changed[id(own)] = partial(_make_method(name, _without_self(own), recorder), None)
    yield from replace_everywhere(changed)


def _without_self(own: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, *args, **named: own(*args, **named)


class _Alike(type):
    """A class that every object of its base counts as an instance of, since code asks isinstance(x, Generator)."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


def _subclass(base: type, recorder: Recorder) -> Any:
    methods = {name: _make_method(name, getattr(base, name), recorder) for name in _FOLLOWED if hasattr(base, name)}
    return _Alike(base.__name__, (base,), {**methods, "__module__": base.__module__})


def _make_method(name: str, own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    def draw(self: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        release([args, named])
        args, named = strip(args), strip(named)
        with recorder.pause():
            drawn = own(self, *args, **named)
        if tape is None or "out" in named or np.asarray(drawn).dtype.kind not in "fiu":
            return drawn
        return _record(tape, name, drawn, args, named)

    draw.__name__ = name
    return draw


def _record(tape: Tape, name: str, drawn: Any, args: Any, named: Any) -> Any:
    if name in _LOCATED:
        given = dict(zip(("loc", "scale"), args, strict=False)) | named
        loc = given.get("loc", 0.0)
        pure = type(loc) in (int, float) and loc == 0
        return record_answer(tape, Law(name, _numbers(given.get("scale", 1.0))), loc, drawn, pure=pure)
    if name in _OTHER:
        return record_answer(tape, Law(OTHER, _numbers(1.0)), 0.0, drawn, pure=True)
    if name in _STANDARD:
        return record_answer(tape, Law(_STANDARD[name], _numbers(1.0)), 0.0, drawn, pure=True)
    if name in _UNIT:
        return record_answer(tape, Law("uniform", _numbers(1.0)), 0.0, drawn, pure=True)
    if name == "exponential":
        scale = args[0] if args else named.get("scale", 1.0)
        return record_answer(tape, Law("exponential", _numbers(scale)), 0.0, drawn, pure=True)
    if name == "geometric":
        scale = -1.0 / np.log1p(-_numbers(args[0] if args else named["p"]))
        return record_answer(tape, Law("geometric", scale), 0.0, drawn, pure=True)
    if name == "uniform":
        given = dict(zip(("low", "high"), args, strict=False)) | named
        low = _numbers(given.get("low", 0.0))
        width = _numbers(given.get("high", 1.0)) - low
        centre = 0.0 if np.all(low == 0) else low + width / 2
        pure = bool(np.all(low == 0) or np.all(low + width / 2 == 0))
        return record_answer(tape, Law("uniform", width), centre, drawn, pure=pure)
    return _record_choice(tape, drawn, args, named)


def _record_choice(tape: Tape, drawn: Any, args: Any, named: Any) -> Any:
    """A choice with probabilities is an answer as a whole; one without is as good as any other draw."""
    chances = args[3] if len(args) > 3 else named.get("p")
    if chances is None:
        return drawn
    if np.size(drawn) != 1:
        tape.skip("several choices with probabilities at once")
        return drawn
    exact = np.asarray(chances, dtype=float)
    law = Law(CHOICE, np.ones(exact.shape))
    return tape.record(NoiseEvent(law, exact, drawn, tape.new_ids((1,)), pure=False, site=tape.locate()))


def _numbers(value: Any) -> Any:
    return np.asarray(value, dtype=float)
