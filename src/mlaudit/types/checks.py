"""Checks shared by the values' constructors: what must hold, what was given, the remedy."""

import math
from numbers import Integral, Real
from typing import SupportsFloat, SupportsIndex, cast

from mlaudit.errors import InvalidInput


def real(name: str, value: object, low: float, high: float, *, closed_low: bool = False) -> float:
    """A finite number in (low, high), or [low, high).

    >>> real("alpha", 0.05, 0, 1)
    0.05
    >>> real("alpha", 1.5, 0, 1)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: alpha must be a number in (0, 1), got 1.5
    """
    bracket = "[" if closed_low else "("
    number = float(cast(SupportsFloat, value)) if isinstance(value, Real) else math.nan
    inside = (low <= number if closed_low else low < number) and number < high
    if isinstance(value, bool) or not inside:
        raise InvalidInput(f"{name} must be a number in {bracket}{low:g}, {high:g}), got {value!r}")
    return number


def positive(name: str, value: object) -> float:
    """A finite number above zero."""
    return real(name, value, 0, math.inf)


def whole(name: str, value: object, low: int, remedy: str = "") -> int:
    """A whole number of at least `low`.

    >>> whole("rows", 0, 1)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: rows must be a whole number of at least 1, got 0
    """
    number = int(cast(SupportsIndex, value)) if isinstance(value, Integral) else low - 1
    if isinstance(value, bool) or number < low:
        tail = f"; {remedy}" if remedy else ""
        raise InvalidInput(f"{name} must be a whole number of at least {low}, got {value!r}{tail}")
    return number
