"""jax: the functions of `jax.random`, whose draws are wrapped. While a trace runs, `jax.jit` compiles nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any

import numpy as np

from mlaudit.tracing.arithmetic import apply, flip
from mlaudit.tracing.laws import CHOICE, COIN, OTHER, Law
from mlaudit.tracing.origin import Operand, record_operand
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


class FollowedDraw:
    """A draw of jax that remembers its noise: no array, so that jax leaves arithmetic with it to this class."""

    __array_ufunc__ = None  # numpy leaves it to this class, too

    def __init__(self, made: Operand, numpy: Any) -> None:
        self.made = made
        self.numpy = numpy

    def __getattr__(self, name: str) -> Any:
        """Anything else, as a usual array."""
        if name.startswith("__") or name in ("made", "numpy"):
            raise AttributeError(name)
        return getattr(self.as_plain(), name)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the draw."""
        return np.shape(self.made.numbers)

    @property
    def dtype(self) -> Any:
        """The type of its numbers."""
        return np.asarray(self.made.numbers).dtype

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's name
        """The draw with its axes reversed."""
        return self._pick(np.transpose)

    def reshape(self, *shape: Any) -> Any:
        """The draw in another shape."""
        return self._pick(lambda part: np.reshape(part, shape[0] if len(shape) == 1 else shape))

    def ravel(self) -> Any:
        """The draw as a vector."""
        return self._pick(np.ravel)

    def astype(self, kind: Any) -> Any:
        """The draw in another precision."""
        return FollowedDraw(Operand(np.asarray(self.made.numbers).astype(kind), self.made.origin), self.numpy)

    def __getitem__(self, key: Any) -> Any:
        return self._pick(lambda part: part[key])

    def __len__(self) -> int:
        return len(self.made.numbers)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __array__(self, *args: Any, **named: Any) -> Any:
        return np.asarray(self.as_plain(), *args, **named)

    def __float__(self) -> float:
        return float(self.as_plain())

    def __bool__(self) -> bool:
        return bool(self.as_plain())

    def as_plain(self) -> Any:
        """The numbers as an array of jax: from here on they are not followed."""
        if self.made.origin is not None:
            self.made.origin.mark("released")
        return self.numpy.asarray(self.made.numbers)

    def calculate(self, ufunc: Any, *inputs: Any) -> Any:
        """The result of an operation: noise stays wrapped, an answer is an array of jax."""
        found = apply(ufunc, [_operand(value) for value in inputs])
        if found is not None:
            return _wrap(found, self.numpy)
        plain = [value.as_plain() if isinstance(value, FollowedDraw) else value for value in inputs]
        return getattr(self.numpy, ufunc.__name__)(*plain)

    def _pick(self, pick: Callable[[Any], Any]) -> Any:
        origin = self.made.origin
        taken = None if origin is None else origin.take(pick)
        return FollowedDraw(Operand(np.asarray(pick(self.made.numbers)), taken), self.numpy)


def _binary(ufunc: Any, *, reverse: bool = False) -> Callable[..., Any]:
    def calculate(self: FollowedDraw, other: Any) -> Any:
        return self.calculate(ufunc, other, self) if reverse else self.calculate(ufunc, self, other)

    return calculate


for _name, _ufunc in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("truediv", np.divide)):
    setattr(FollowedDraw, f"__{_name}__", _binary(_ufunc))
    setattr(FollowedDraw, f"__r{_name}__", _binary(_ufunc, reverse=True))
for _name, _ufunc in (("lt", np.less), ("le", np.less_equal), ("gt", np.greater), ("ge", np.greater_equal)):
    setattr(FollowedDraw, f"__{_name}__", _binary(_ufunc))
setattr(FollowedDraw, "__neg__", lambda self: self.calculate(np.negative, self))  # noqa: B010 - as those above


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
        return _wrap(record_operand(tape, Law(name, one), 0.0, numbers, pure=True), numpy)
    if name in _OTHER:
        return _wrap(record_operand(tape, Law(OTHER, one), 0.0, numbers, pure=True), numpy)
    if name == "uniform":
        given = dict(zip(("shape", "dtype", "minval", "maxval"), args, strict=False)) | named
        low, high = (np.asarray(given.get(end, at), dtype=float) for end, at in (("minval", 0.0), ("maxval", 1.0)))
        centre = (low + high) / 2.0
        pure = not low.any() or not centre.any()
        made = record_operand(tape, Law("uniform", high - low), 0.0 if pure else centre, numbers, pure=pure)
        return _wrap(made, numpy)
    if name == "bernoulli":
        heads = np.asarray(args[0] if args else named.get("p", 0.5), dtype=float)
        return _wrap(record_operand(tape, Law(COIN, heads), heads, numbers, pure=True), numpy)
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


def _operand(value: Any) -> Operand:
    return value.made if isinstance(value, FollowedDraw) else Operand(np.asarray(value))


def _wrap(made: Operand, numpy: Any) -> Any:
    if made.origin is not None and made.origin.pure:
        return FollowedDraw(made, numpy)
    return numpy.asarray(made.numbers)
