"""What arithmetic makes of noise: sums with a value are answers, products and sums of draws are noise again."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlaudit.tracing.laws import COIN, FLIP, OTHER, Law
from mlaudit.tracing.origin import Operand, Origin, record_operand
from mlaudit.tracing.tape import NoiseEvent

_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal)
_ROUNDING = (np.rint, np.floor, np.ceil, np.trunc)
_LIMITING = (np.maximum, np.minimum, np.clip)


def apply(ufunc: Any, inputs: Sequence[Operand]) -> Operand | None:
    """What an operation of numpy makes of noisy numbers.

    Args:
        ufunc: The operation.
        inputs: What it is applied to.

    Returns:
        The result; None if the operation is not followed.
    """
    known = [one.origin for one in inputs if one.origin is not None]
    if not known or known[0].tape.paused:
        return None
    if ufunc in _COMPARISONS:
        return _compare(ufunc, inputs)
    if len(inputs) == 1:
        return _apply_to_one(ufunc, inputs[0].numbers, known[0])
    if len(inputs) == 2 and ufunc in (np.add, np.subtract, np.multiply, np.divide):
        return _apply_to_two(ufunc, inputs)
    if ufunc in _LIMITING and known[0].pure:
        return limit(known[0], ufunc(*(one.numbers for one in inputs)))
    return None


def limit(origin: Origin, noisy: Any) -> Operand:
    """Noise that is clipped: it reaches less far than before."""
    return _transform(origin, origin.exact, Law("bounded", origin.law.scale), noisy)


def flip(coin: Operand, heads: Any, tails: Any) -> Any:
    """One of two values, by a coin, as `np.where` takes it."""
    origin = coin.origin
    both = np.stack(
        np.broadcast_arrays(coin.numbers, *(np.asarray(value, dtype=float) for value in (heads, tails)))[1:]
    )
    result = np.where(coin.numbers, *both)
    if origin is None or result.shape != origin.ids.shape:
        return result
    return origin.tape.record(_make_flip(origin, both, result))


def _make_flip(origin: Origin, both: Any, result: Any) -> NoiseEvent:
    """One of two values, at heads and at tails of a coin."""
    law = Law(FLIP, np.broadcast_to(origin.law.scale, result.shape))
    return NoiseEvent(law, both, result, origin.ids, pure=False, site=origin.tape.locate(), parents=(origin.event,))


def join(parts: Sequence[Operand], stack: Callable[[Sequence[Any]], Any]) -> Operand | None:
    """Several draws of one law as one array; None if they are not all noise of one kind on one tape."""
    origins = [one.origin for one in parts]
    first = origins[0] if origins else None
    if first is None:
        return None
    for one in origins:
        if one is None or not one.pure or one.tape is not first.tape or one.law.kind != first.law.kind:
            return None
    known = [one for one in origins if one is not None]
    law = Law(first.law.kind, stack([np.broadcast_to(one.law.scale, one.ids.shape) for one in known]))
    exact, ids = stack([one.exact for one in known]), stack([one.ids for one in known])
    noisy = stack([one.numbers for one in parts])
    parents = tuple(dict.fromkeys(one.event for one in known))
    return record_operand(first.tape, law, exact, noisy, pure=True, ids=ids, parents=parents)


def _apply_to_one(ufunc: Any, numbers: Any, origin: Origin) -> Operand | None:
    if ufunc is np.negative and origin.pure:
        return _transform(origin, -origin.exact, origin.law.times(-1.0), -numbers)
    if ufunc is np.abs and origin.pure:
        return limit(origin, np.abs(numbers))
    if ufunc not in _ROUNDING:
        return None
    if origin.pure:
        return _transform(origin, origin.exact, Law(OTHER, origin.law.scale), ufunc(numbers))
    return Operand(ufunc(numbers), origin)


def _apply_to_two(ufunc: Any, inputs: Sequence[Operand]) -> Operand | None:
    """Sums with a plain number, products with a plain number, and sums of two draws."""
    (left, right), (a, b) = (one.numbers for one in inputs), (one.origin for one in inputs)
    if any(np.asarray(value).dtype.kind not in "fiub" for value in (left, right)):
        return None
    result = ufunc(left, right)
    if a is not None and b is not None:
        return _add_draws(ufunc, a, b, result)
    origin = a if a is not None else b
    if origin is None or (ufunc is np.divide and a is None):
        return None
    number = right if a is not None else left
    if origin.law.kind == COIN:
        return _flip_by_coin(ufunc, origin, number, result, first=a is not None)
    if not origin.pure:
        # An answer: arithmetic from here on is post-processing. A common factor keeps the order of the numbers.
        scaled = ufunc in (np.multiply, np.divide) and np.ndim(number) == 0 and np.all(np.asarray(number) > 0)
        return Operand(result, origin) if scaled else None
    if ufunc in (np.multiply, np.divide):
        factor = 1.0 / np.asarray(number, dtype=float) if ufunc is np.divide else np.asarray(number, dtype=float)
        return _transform(origin, origin.exact * factor, origin.law.times(factor), result)
    sign = -1.0 if ufunc is np.subtract and a is None else 1.0
    exact = ufunc(origin.exact, number) if a is not None else ufunc(number, origin.exact)
    return _transform(origin, _in_precision(exact, number), origin.law.times(sign), result, pure=False)


def _flip_by_coin(ufunc: Any, coin: Origin, number: Any, result: Any, *, first: bool) -> Operand | None:
    """A coin and a plain number, such as `2 * coin`: one value at heads, another at tails."""
    if np.shape(result) != coin.ids.shape:
        return None
    both = [np.asarray(ufunc(side, number) if first else ufunc(number, side), dtype=float) for side in (1.0, 0.0)]
    both = [np.broadcast_to(side, np.shape(result)) for side in both]
    return Operand(coin.tape.record(_make_flip(coin, np.stack(both), np.asarray(result)))[()])


def _in_precision(exact: Any, number: Any) -> Any:
    """The exact value in the precision of the number that noise was added to."""
    kind = np.asarray(number).dtype
    return np.asarray(exact, dtype=kind) if kind.kind == "f" and kind.itemsize < 8 else exact


def _transform(origin: Origin, exact: Any, law: Law, noisy: Any, *, pure: bool = True) -> Operand:
    """The next event of the same draws."""
    return record_operand(origin.tape, law, exact, noisy, pure=pure, ids=origin.ids, parents=(origin.event,))


def _add_draws(ufunc: Any, a: Origin, b: Origin, result: Any) -> Operand | None:
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
    return record_operand(a.tape, law, exact, result, pure=a.pure and b.pure, parents=(a.event, b.event))


def _compare(ufunc: Any, inputs: Sequence[Operand]) -> Operand:
    """A uniform number below a threshold is a coin; of two noisy numbers only their order is used here."""
    plain, origins = [one.numbers for one in inputs], [one.origin for one in inputs]
    result = ufunc(*plain)
    both = [origin for origin in origins if origin is not None]
    if len(both) == 1 and both[0].pure and both[0].law.kind == "uniform" and np.all(both[0].law.scale == 1.0):
        first = origins[0] is not None
        threshold = np.asarray(plain[1] if first else plain[0], dtype=float)
        below = (ufunc in (np.less, np.less_equal)) == first
        heads = np.broadcast_to(np.clip(threshold if below else 1.0 - threshold, 0.0, 1.0), np.shape(result))
        origin = both[0]
        ids = np.broadcast_to(origin.ids, np.shape(result))
        law = Law(COIN, heads)
        return record_operand(origin.tape, law, heads, result, pure=True, ids=ids, parents=(origin.event,))
    for origin in both:
        origin.mark("compared" if len(both) == 2 else "released")
    return Operand(result)
