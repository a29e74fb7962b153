"""Arrays that remember the noise in them: the exact value, the law of the noise and the draws it is made of."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlaudit.tracing.laws import COIN, FLIP, OTHER, Law
from mlaudit.tracing.sites import makes_choices
from mlaudit.tracing.tape import NoiseEvent, Tape
from mlaudit.types.arrays import FloatArray, IntArray

_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal)
_ROUNDING = (np.rint, np.floor, np.ceil, np.trunc)
_LIMITING = (np.maximum, np.minimum, np.clip, np.abs)


@dataclass(frozen=True, eq=False)
class Origin:
    """Where the numbers of an array come from.

    `exact` is their value without noise. `pure` noise has not been added to a value yet. Once it has, the sum is an
    answer, and what is done to it from there on is post-processing.
    """

    tape: Tape
    event: int
    exact: FloatArray
    law: Law
    ids: IntArray
    pure: bool

    def mark(self, use: str) -> None:
        """Remember what was done with the answer."""
        self.tape.events[self.event].uses.add(use)

    def take(self, pick: Callable[[Any], Any]) -> "Origin":
        """The origin of some of the numbers, or of the same numbers in another order."""
        scale = np.broadcast_to(self.law.scale, self.ids.shape)
        exact = np.broadcast_to(self.exact, self.ids.shape)
        law = Law(self.law.kind, np.asarray(pick(scale)))
        return replace(self, exact=np.asarray(pick(exact)), law=law, ids=np.asarray(pick(self.ids)))


class Followed(np.ndarray):
    """An array of noisy numbers with their origin; None after an operation that cannot be followed."""

    origin: Origin | None

    def __array_finalize__(self, obj: Any) -> None:
        self.origin = None

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **how: Any) -> Any:
        found = _follow_ufunc(ufunc, inputs) if method == "__call__" and not how else None
        if found is None:
            release(inputs)
            found = getattr(ufunc, method)(*map(strip, inputs), **how, **_plain_out(out))
        if out is None:
            return found
        return _write(out[0], found) if len(out) == 1 else out

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.argmax and isinstance(args[0], Followed):
            return args[0].argmax(*args[1:], **kwargs)
        if func is np.where and len(args) == 3 and (coin := _coin_of(args[0])) is not None:
            return _flip(args[0], coin, args[1], args[2])
        if func is np.clip and isinstance(args[0], Followed) and args[0].origin and args[0].origin.pure:
            return _limit(args[0], np.clip(strip(args[0]), *map(strip, args[1:]), **kwargs))
        release([args, kwargs])
        return func(*strip(args), **strip(kwargs))

    def __getitem__(self, key: Any) -> Any:
        data, origin = strip(self)[strip(key)], self.origin
        if origin is None:
            return data
        if not origin.pure:
            origin.mark("released")
        return attach(data, origin.take(lambda part: part[strip(key)]))

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def argmax(self, *how: Any, **named: Any) -> Any:
        """The place of the largest number: noisy max, if nothing else is done with the numbers."""
        if self.origin is not None:
            axis = how[0] if how else named.get("axis")
            rows = axis is not None and self.ndim > 1 and axis in (-1, self.ndim - 1)
            self.origin.mark("argmax of rows" if rows else "argmax" if axis is None or self.ndim == 1 else "released")
        return strip(self).argmax(*how, **named)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.item(), digits) if digits is not None else round(self.item())

    def __hash__(self) -> int:  # type: ignore[override]  # a number can be hashed
        return hash(self.item())

    def __reduce__(self) -> Any:
        return strip(self).__reduce__()

    def __deepcopy__(self, memo: Any) -> Any:
        return strip(self).copy()


def _released(name: str) -> Callable[..., Any]:
    def call(self: Followed, *args: Any, **named: Any) -> Any:
        release([self])
        return getattr(strip(self), name)(*args, **named)

    return call


def _kept(name: str) -> Callable[..., Any]:
    def call(self: Followed, *args: Any, **named: Any) -> Any:
        data, origin = getattr(strip(self), name)(*args, **named), self.origin
        if origin is None or np.asarray(data).dtype.kind not in "fiub":
            return data
        if name in ("astype", "copy"):
            return attach(data, origin)
        return attach(data, origin.take(lambda part: getattr(part, name)(*args, **named)))

    return call


class _KeepsNoise(type):
    """A stand-in for `float` or `int`: floats count as its instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


class FollowedFloat(float, metaclass=_KeepsNoise):
    """`float`, but a followed number stays one: its digits are the same."""

    dtype = np.dtype(float)  # so that numpy reads the class as a type of numbers

    def __new__(cls, value: Any = 0.0) -> Any:  # noqa: D102 - the class says it
        if isinstance(value, Followed) and value.origin is not None and value.size == 1:
            return value.reshape(()).astype(float)
        return float(value)


class FollowedInt(int, metaclass=_KeepsNoise):
    """`int`, but a followed whole number stays one."""

    dtype = np.dtype(int)

    def __new__(cls, value: Any = 0, *base: Any) -> Any:  # noqa: D102 - the class says it
        if isinstance(value, Followed) and value.origin is not None and value.size == 1 and value.dtype.kind in "iu":
            return value.reshape(())
        return int(value, *base)


for _name in ("item", "tolist", "__float__", "__int__", "__index__", "__bool__", "__complex__"):
    setattr(Followed, _name, _released(_name))
for _name in ("reshape", "ravel", "flatten", "squeeze", "transpose", "astype", "copy"):
    setattr(Followed, _name, _kept(_name))


def attach(data: Any, origin: Origin) -> Followed:
    """An array with an origin."""
    made = np.asarray(data).view(Followed)
    made.origin = origin
    return made


def strip(value: Any) -> Any:
    """The value without origins; lists, tuples and dictionaries are gone through.

    >>> strip([np.zeros(1).view(Followed)])
    [array([0.])]
    """
    if isinstance(value, Followed):
        return value.view(np.ndarray)
    if type(value) in (list, tuple):
        return type(value)(strip(part) for part in value)
    return {name: strip(part) for name, part in value.items()} if type(value) is dict else value


def release(value: Any) -> None:
    """Mark every followed array in a value as used by something else than a comparison."""
    if isinstance(value, Followed):
        if value.origin is not None:
            value.origin.mark("released")
    elif type(value) in (list, tuple):
        for part in value:
            release(part)
    elif type(value) is dict:
        release(list(value.values()))


def record_answer(
    tape: Tape,
    law: Law,
    exact: Any,
    noisy: Any,
    *,
    pure: bool,
    ids: IntArray | None = None,
    parents: tuple[int, ...] = (),
) -> Any:
    """Put noisy numbers on the tape, and give them back with their origin.

    Draws of a library that adds no noise by itself are choices, such as where a tree splits: they come back plain.
    """
    shape = np.shape(noisy)
    exact = np.broadcast_to(np.asarray(exact, dtype=float), shape)
    ids = tape.new_ids(shape) if ids is None else np.broadcast_to(ids, shape)
    law = law.spread(shape)
    event = NoiseEvent(law, exact, np.asarray(noisy), ids, pure, tape.locate(), parents)
    at = len(tape.events)
    answer = tape.record(event)
    if makes_choices(event.site):
        return answer if shape else answer.item()
    return attach(answer, Origin(tape, at, exact, law, ids, pure))


def _follow_ufunc(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """What an operation makes of followed arrays; None if it is not followed."""
    origins = [getattr(value, "origin", None) if isinstance(value, Followed) else None for value in inputs]
    known = [origin for origin in origins if origin is not None]
    if not known or known[0].tape.paused:
        return None
    if ufunc in _COMPARISONS:
        return _compare(ufunc, inputs, origins)
    if len(inputs) == 1:
        return _follow_unary(ufunc, inputs[0], known[0])
    if len(inputs) == 2 and ufunc in (np.add, np.subtract, np.multiply, np.divide):
        return _follow_arithmetic(ufunc, inputs, origins)
    if ufunc in _LIMITING and known[0].pure:
        return _limit(next(v for v in inputs if isinstance(v, Followed)), ufunc(*map(strip, inputs)))
    return None


def _follow_unary(ufunc: Any, value: Followed, origin: Origin) -> Any:
    if ufunc is np.negative and origin.pure:
        return _transform(origin, -origin.exact, origin.law.times(-1.0), -strip(value))
    if ufunc is np.abs and origin.pure:
        return _limit(value, np.abs(strip(value)))
    if ufunc not in _ROUNDING:
        return None
    if origin.pure:
        return _transform(origin, origin.exact, Law(OTHER, origin.law.scale), ufunc(strip(value)))
    return attach(ufunc(strip(value)), origin)


def _follow_arithmetic(ufunc: Any, inputs: tuple[Any, ...], origins: list[Origin | None]) -> Any:
    """Sums with a plain number, products with a plain number, and sums of two draws."""
    (left, right), (a, b) = inputs, origins
    plain = [strip(left), strip(right)]
    if any(isinstance(value, np.ndarray) and value.dtype.kind not in "fiub" for value in map(np.asarray, plain)):
        return None
    result = ufunc(*plain)
    if a is not None and b is not None:
        return _add_draws(ufunc, a, b, result)
    origin = a if a is not None else b
    if origin is None or (ufunc is np.divide and a is None):
        return None
    number = plain[1] if a is not None else plain[0]
    if not origin.pure:
        # An answer: arithmetic from here on is post-processing. A common factor keeps the order of the numbers.
        scaled = ufunc in (np.multiply, np.divide) and np.ndim(number) == 0 and np.all(np.asarray(number) > 0)
        return attach(result, origin) if scaled else None
    if ufunc in (np.multiply, np.divide):
        factor = 1.0 / np.asarray(number, dtype=float) if ufunc is np.divide else np.asarray(number, dtype=float)
        return _transform(origin, origin.exact * factor, origin.law.times(factor), result)
    sign = -1.0 if ufunc is np.subtract and a is None else 1.0
    law = origin.law.times(sign)
    return _transform(origin, ufunc(*_exact_of(plain, a is not None, origin)), law, result, pure=False)


def _exact_of(plain: list[Any], first: bool, origin: Origin) -> list[Any]:
    return [origin.exact, plain[1]] if first else [plain[0], origin.exact]


def _transform(origin: Origin, exact: Any, law: Law, noisy: Any, *, pure: bool = True) -> Any:
    """The next event of the same draws."""
    return record_answer(origin.tape, law, exact, noisy, pure=pure, ids=origin.ids, parents=(origin.event,))


def _add_draws(ufunc: Any, a: Origin, b: Origin, result: Any) -> Any:
    """More noise on noise, or on an answer that nothing else has used yet."""
    if not (a.pure or b.pure) or ufunc not in (np.add, np.subtract) or a.tape is not b.tape:
        return None
    shape = np.shape(result)
    sign = -1.0 if ufunc is np.subtract else 1.0
    law = a.law.spread(shape).plus(b.law.spread(shape).times(sign))
    used = any("released" in a.tape.events[one.event].uses for one in (a, b) if not one.pure)
    if not (a.pure and b.pure) and (law.kind == OTHER or used):
        return None
    exact = a.exact + sign * b.exact
    return record_answer(a.tape, law, exact, result, pure=a.pure and b.pure, parents=(a.event, b.event))


def _limit(value: Followed, noisy: Any) -> Any:
    """Noise that is clipped reaches less far than before."""
    origin = value.origin
    if origin is None:
        return noisy
    return _transform(origin, origin.exact, Law("bounded", origin.law.scale), noisy)


def _compare(ufunc: Any, inputs: tuple[Any, ...], origins: list[Origin | None]) -> Any:
    """A uniform number below a threshold is a coin; of two noisy numbers only their order is used here."""
    plain = [strip(value) for value in inputs]
    result = ufunc(*plain)
    both = [origin for origin in origins if origin is not None]
    if len(both) == 1 and both[0].pure and both[0].law.kind == "uniform" and np.all(both[0].law.scale == 1.0):
        first = origins[0] is not None
        threshold = np.asarray(plain[1] if first else plain[0], dtype=float)
        below = (ufunc in (np.less, np.less_equal)) == first
        heads = np.broadcast_to(np.clip(threshold if below else 1.0 - threshold, 0.0, 1.0), np.shape(result))
        origin = both[0]
        ids = np.broadcast_to(origin.ids, np.shape(result))
        return record_answer(
            origin.tape, Law(COIN, heads), heads, result, pure=True, ids=ids, parents=(origin.event,)
        )
    for origin in both:
        origin.mark("compared" if len(both) == 2 else "released")
    return result


def _coin_of(value: Any) -> Origin | None:
    origin = value.origin if isinstance(value, Followed) else None
    return origin if origin is not None and origin.law.kind == COIN else None


def _flip(coin: Followed, origin: Origin, heads: Any, tails: Any) -> Any:
    """np.where with a coin: one of two values, by chance."""
    release([heads, tails])
    values = (np.asarray(strip(value), dtype=float) for value in (heads, tails))
    both = np.stack(np.broadcast_arrays(strip(coin), *values)[1:])
    result = np.where(strip(coin), *both)
    if result.shape != origin.ids.shape:
        return result
    law = Law(FLIP, np.broadcast_to(origin.law.scale, result.shape))
    event = NoiseEvent(law, both, result, origin.ids, pure=False, site=origin.tape.locate(), parents=(origin.event,))
    return origin.tape.record(event)


def _plain_out(out: Any) -> dict[str, Any]:
    return {} if out is None else {"out": tuple(map(strip, out))}


def _write(target: Any, found: Any) -> Any:
    """Put a result where the caller wants it."""
    if found is not strip(target):
        np.copyto(strip(target), strip(found), casting="unsafe")
    if isinstance(target, Followed):
        target.origin = found.origin if isinstance(found, Followed) else None
    return target
