"""jax: the functions of `jax.random`, whose draws are wrapped. While a trace runs, `jax.jit` compiles nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any

import numpy as np

from mlaudit.tracing.arithmetic import flip
from mlaudit.tracing.jax_draws import FollowedDraw, wrap_draw
from mlaudit.tracing.laws import CHOICE, COIN, OTHER, Law
from mlaudit.tracing.origin import record_operand
from mlaudit.tracing.recorder import Patch, Recorder, replace_everywhere
from mlaudit.tracing.tape import NoiseEvent, Tape

_STANDARD = ("laplace", "normal", "gumbel", "logistic", "exponential")
_OTHER = ("cauchy", "gamma", "t", "beta", "chisquare", "rademacher", "truncated_normal")
_FOLLOWED = (*_STANDARD, *_OTHER, "uniform", "bernoulli", "categorical", "choice")


def patches(recorder: Recorder) -> Iterator[Patch]:
    """Followed draws, if jax is loaded."""
    module: Any = sys.modules.get("jax.random")
    numpy: Any = sys.modules.get("jax.numpy")
    if module is None or numpy is None:
        return
    changed = {id(getattr(module, name)): _follow(name, getattr(module, name), numpy, recorder) for name in _FOLLOWED}
    changed[id(numpy.where)] = _follow_where(numpy.where, numpy)
    yield from replace_everywhere(changed)


def surroundings() -> AbstractContextManager[Any]:
    """Without compilation: inside a compiled function, draws cannot be seen."""
    jax: Any = sys.modules.get("jax")
    return nullcontext() if jax is None else jax.disable_jit()


def _follow(name: str, own: Callable[..., Any], numpy: Any, recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def draw(*args: Any, **named: Any) -> Any:
        tape = recorder.active
        with recorder.pause():
            drawn = own(*args, **named)
        if tape is None:
            return drawn
        if not hasattr(drawn, "__array__") or type(drawn).__name__.endswith("Tracer"):
            tape.skip(f"jax.random.{name} inside a transformed function, such as jax.vmap")
            return drawn
        return _record(tape, name, np.asarray(drawn), drawn, args[1:], named, numpy)

    return draw


def _record(tape: Tape, name: str, numbers: Any, drawn: Any, args: Any, named: Any, numpy: Any) -> Any:
    one = np.ones(())
    if name in _STANDARD:
        return wrap_draw(record_operand(tape, Law(name, one), 0.0, numbers, pure=True), numpy)
    if name in _OTHER:
        return wrap_draw(record_operand(tape, Law(OTHER, one), 0.0, numbers, pure=True), numpy)
    if name == "uniform":
        given = dict(zip(("shape", "dtype", "minval", "maxval"), args, strict=False)) | named
        low, high = (np.asarray(given.get(end, at), dtype=float) for end, at in (("minval", 0.0), ("maxval", 1.0)))
        centre = (low + high) / 2.0
        pure = not low.any() or not centre.any()
        made = record_operand(tape, Law("uniform", high - low), 0.0 if pure else centre, numbers, pure=pure)
        return wrap_draw(made, numpy)
    if name == "bernoulli":
        heads = np.asarray(args[0] if args else named.get("p", 0.5), dtype=float)
        return wrap_draw(record_operand(tape, Law(COIN, heads), heads, numbers, pure=True), numpy)
    chances = _chances_of(name, args, named)
    if chances is None:
        return drawn
    if numbers.size != 1 or chances.ndim != 1:
        tape.skip("several choices with probabilities at once")
        return drawn
    law = Law(CHOICE, np.ones(chances.shape))
    event = NoiseEvent(law, chances, numbers, tape.new_ids((1,)), pure=False, site=tape.locate())
    return numpy.asarray(tape.record(event))


def _chances_of(name: str, args: Any, named: Any) -> Any:
    """The probability of every candidate; None for a choice that has none."""
    if name == "choice":
        given = dict(zip(("a", "shape", "replace", "p"), args, strict=False)) | named
        return None if given.get("p") is None else np.asarray(given["p"], dtype=float)
    logits = np.asarray(args[0] if args else named["logits"], dtype=float)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _follow_where(own: Callable[..., Any], numpy: Any) -> Callable[..., Any]:
    @wraps(own)
    def where(condition: Any, *args: Any, **named: Any) -> Any:
        if isinstance(condition, FollowedDraw) and len(args) == 2:
            values = [np.asarray(value) for value in args]
            return numpy.asarray(flip(condition.made, *values)).astype(np.result_type(*values))
        plain = condition.as_plain() if isinstance(condition, FollowedDraw) else condition
        return own(plain, *args, **named)

    return where
