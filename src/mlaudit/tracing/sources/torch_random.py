"""torch: `normal`, `randn`, `rand`, `bernoulli`, methods that fill a tensor in place, and `torch.distributions`."""

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import numpy as np

from mlaudit.tracing.followed import operand, release, strip
from mlaudit.tracing.laws import COIN, OTHER, Law
from mlaudit.tracing.origin import record_operand
from mlaudit.tracing.recorder import Patch, Recorder, replace_everywhere
from mlaudit.tracing.tape import Tape
from mlaudit.tracing.tensors import is_followed, make_tensor_class, numbers_of, plain

_STANDARD = {"randn": "normal", "randn_like": "normal", "rand": "uniform", "rand_like": "uniform"}
_FILLING = {"normal_": "normal", "uniform_": "uniform", "exponential_": "exponential"}
_OTHER = ("cauchy_", "log_normal_", "geometric_")  # noise of a law whose loss is not known


def patches(recorder: Recorder) -> Iterator[Patch]:
    """Followed functions and methods, if torch is loaded."""
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "distributions"):
        return
    kind = make_tensor_class(torch)
    changed = {id(getattr(torch, name)): _follow_standard(torch, name, kind, recorder) for name in _STANDARD}
    changed[id(torch.normal)] = _follow_normal(torch, kind, recorder)
    changed[id(torch.bernoulli)] = _follow_bernoulli(torch, kind, recorder)
    for name in ("from_numpy", "as_tensor", "tensor"):
        changed[id(getattr(torch, name))] = _follow_conversion(getattr(torch, name), kind, recorder)
    yield from replace_everywhere(changed)
    for name in (*_FILLING, *_OTHER):
        yield torch.Tensor, name, _follow_filling(name, getattr(torch.Tensor, name), kind, recorder)
    for name in ("Laplace", "Normal"):
        owner = getattr(torch.distributions, name)
        for method in ("sample", "rsample"):
            yield owner, method, _follow_distribution(name.lower(), getattr(owner, method), kind, recorder)


def follow_noise(tape: Tape, law: Law, loc: Any, drawn: Any, kind: Any) -> Any:
    """A draw as a tensor that remembers its noise; around a location it is an answer, and a plain tensor."""
    pure = not np.any(numbers_of(loc))
    made = record_operand(tape, law, numbers_of(loc), numbers_of(drawn), pure=pure)
    return kind.wrap(made, like=drawn)


def _follow_standard(torch: Any, name: str, kind: Any, recorder: Recorder) -> Callable[..., Any]:
    own = getattr(torch, name)

    @wraps(own)
    def draw(*args: Any, **named: Any) -> Any:
        tape = recorder.active
        release_all([args, named])
        drawn = own(*map(plain, args), **named)
        if tape is None or drawn.requires_grad:
            return drawn
        return follow_noise(tape, Law(_STANDARD[name], np.ones(())), 0.0, drawn, kind)

    return draw


def _follow_normal(torch: Any, kind: Any, recorder: Recorder) -> Callable[..., Any]:
    own = torch.normal

    @wraps(own)
    def normal(*args: Any, **named: Any) -> Any:
        tape = recorder.active
        release_all([args, named])
        args, named = tuple(map(plain, args)), {name: plain(value) for name, value in named.items()}
        drawn = own(*args, **named)
        if tape is None:
            return drawn
        given = dict(zip(("mean", "std"), args, strict=False)) | named
        scale = numbers_of(given.get("std", 1.0))
        return follow_noise(tape, Law("normal", scale), given.get("mean", 0.0), drawn, kind)

    return normal


def _follow_bernoulli(torch: Any, kind: Any, recorder: Recorder) -> Callable[..., Any]:
    own = torch.bernoulli

    @wraps(own)
    def bernoulli(chances: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        release_all([chances, args, named])
        drawn = own(plain(chances), *args, **named)
        if tape is None:
            return drawn
        heads = numbers_of(args[0] if args and isinstance(args[0], float) else plain(chances))
        made = record_operand(tape, Law(COIN, heads), heads, numbers_of(drawn), pure=True)
        return kind.wrap(made, like=drawn)

    return bernoulli


def _follow_filling(name: str, own: Any, kind: Any, recorder: Recorder) -> Callable[..., Any]:
    """A method that fills a tensor in place. Weights of a module that begin at random are no noise."""

    @wraps(own)
    def fill(self: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        release_all([args, named])
        own(self, *map(plain, args), **{key: plain(value) for key, value in named.items()})
        if tape is None or self.requires_grad or kind.is_parameter(self) or self.numel() == 0:
            return self
        law, loc = _describe_filling(name, args, named)
        made = record_operand(tape, law, loc, numbers_of(self), pure=not np.any(loc))
        return kind.refill(self, made)

    return fill


def _describe_filling(name: str, args: Any, named: Any) -> tuple[Law, Any]:
    if name == "normal_":
        given = dict(zip(("mean", "std"), args, strict=False)) | named
        return Law("normal", numbers_of(given.get("std", 1.0))), numbers_of(given.get("mean", 0.0))
    if name == "exponential_":
        rate = args[0] if args else named.get("lambd", 1.0)
        return Law("exponential", 1.0 / numbers_of(rate)), 0.0
    if name == "uniform_":
        given = dict(zip(("from", "to"), args, strict=False)) | named
        low, high = numbers_of(given.get("from", 0.0)), numbers_of(given.get("to", 1.0))
        centre = (low + high) / 2.0
        return Law("uniform", high - low), 0.0 if not low or not centre else centre
    return Law(OTHER, np.ones(())), 0.0


def _follow_distribution(law: str, own: Any, kind: Any, recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def sample(self: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        with recorder.pause():
            drawn = own(self, *args, **named)
        if tape is None or drawn.requires_grad:
            return drawn
        scale = np.broadcast_to(numbers_of(self.scale), drawn.shape)
        loc = np.broadcast_to(numbers_of(self.loc), drawn.shape)
        return follow_noise(tape, Law(law, scale), loc, drawn, kind)

    return sample


def _follow_conversion(own: Any, kind: Any, recorder: Recorder) -> Callable[..., Any]:
    """Numpy's noise as a tensor: it stays noise."""

    @wraps(own)
    def convert(value: Any, *args: Any, **named: Any) -> Any:
        made = own(strip(value), *args, **named)
        known = operand(value)
        if recorder.active is not None and known.origin is not None and known.origin.pure:
            return kind.wrap(known, like=made)
        release_all([value])
        return made

    return convert


def release_all(value: Any) -> None:
    """Mark noise in the arguments of a call as used."""
    if isinstance(value, list | tuple):
        for part in value:
            release_all(part)
    elif isinstance(value, dict):
        release_all(list(value.values()))
    elif is_followed(value):
        value.origin.mark("released")
    else:
        release(value)
