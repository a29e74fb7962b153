"""numpy arrays that remember the noise in them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mlaudit.tracing.arithmetic import apply, flip, join, limit
from mlaudit.tracing.laws import COIN, Law
from mlaudit.tracing.origin import Operand, Origin, record_operand
from mlaudit.tracing.tape import Tape


class Followed(np.ndarray):
    """An array of noisy numbers with their origin; None after an operation that cannot be followed."""

    origin: Origin | None

    def __array_finalize__(self, obj: Any) -> None:
        self.origin = None
        release(obj)  # a part or a view of noisy numbers that was not made by the methods below

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **how: Any) -> Any:
        made = apply(ufunc, [operand(value) for value in inputs]) if method == "__call__" and not how else None
        if made is None:
            release(inputs)
            found = getattr(ufunc, method)(*map(strip, inputs), **how, **_plain_out(out))
        else:
            found = as_followed(made)
        if out is None:
            return found
        return _write(out[0], found) if len(out) == 1 else out

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.argmax and isinstance(args[0], Followed):
            return args[0].argmax(*args[1:], **kwargs)
        if func is np.where and len(args) == 3 and _is_coin(args[0]):
            release(args[1:])
            return flip(operand(args[0]), strip(args[1]), strip(args[2]))
        if func is np.clip and isinstance(args[0], Followed) and args[0].origin and args[0].origin.pure:
            return as_followed(limit(args[0].origin, np.clip(strip(args[0]), *map(strip, args[1:]), **kwargs)))
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

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's name
        """The transposed array."""
        return self.transpose()

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
        release(self)
        return strip(self).__reduce__()

    def __deepcopy__(self, memo: Any) -> Any:
        release(self)
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


for _name in ("item", "tolist", "tobytes", "view", "__float__", "__int__", "__index__", "__bool__", "__complex__"):
    setattr(Followed, _name, _released(_name))
for _name in ("reshape", "ravel", "flatten", "squeeze", "transpose", "astype", "copy"):
    setattr(Followed, _name, _kept(_name))


def attach(data: Any, origin: Origin | None) -> Followed:
    """An array with an origin."""
    made = np.asarray(data).view(Followed)
    made.origin = origin
    return made


def operand(value: Any) -> Operand:
    """A value of a calculation, with its origin if it is a followed array."""
    return Operand(strip(value), value.origin if isinstance(value, Followed) else None)


def as_followed(made: Operand) -> Any:
    """The result of a calculation as an array that remembers its noise, or as plain numbers."""
    return made.numbers if made.origin is None else attach(made.numbers, made.origin)


def record_answer(tape: Tape, law: Law, exact: Any, noisy: Any, *, pure: bool) -> Any:
    """Put noisy numbers on the tape, and give them back as an array that remembers its noise."""
    return as_followed(record_operand(tape, law, exact, noisy, pure=pure))


def stack_followed(parts: Any, make: Callable[..., Any]) -> Any:
    """A list of draws as one array of noise; without any origin if they are not all draws of one law."""
    if len(parts) and all(isinstance(part, Followed) and part.ndim == 0 for part in parts):
        made = join([operand(part) for part in parts], np.stack)
        if made is not None:
            return as_followed(made)
    release(list(parts))
    return make(strip(list(parts)))


def strip(value: Any) -> Any:
    """The value without origins; lists, tuples and dictionaries are gone through.

    >>> strip([np.zeros(1).view(Followed)])
    [array([0.])]
    """
    if isinstance(value, Followed):
        return np.ndarray.view(value, np.ndarray)  # not the method above, which notes the use
    if type(value) in (list, tuple):
        return type(value)(strip(part) for part in value)
    return {name: strip(part) for name, part in value.items()} if type(value) is dict else value


def release(value: Any) -> None:
    """Mark every followed array in a value as used by something else than a comparison."""
    if isinstance(value, Followed):
        origin = getattr(value, "origin", None)  # an array that is being made has none yet
        if origin is not None:
            origin.mark("released")
    elif type(value) in (list, tuple):
        for part in value:
            release(part)
    elif type(value) is dict:
        release(list(value.values()))


def _is_coin(value: Any) -> bool:
    return isinstance(value, Followed) and value.origin is not None and value.origin.law.kind == COIN


def _plain_out(out: Any) -> dict[str, Any]:
    return {} if out is None else {"out": tuple(map(strip, out))}


def _write(target: Any, found: Any) -> Any:
    """Put a result where the caller wants it."""
    if found is not strip(target):
        np.copyto(strip(target), strip(found), casting="unsafe")
    if isinstance(target, Followed):
        target.origin = found.origin if isinstance(found, Followed) else None
    return target
