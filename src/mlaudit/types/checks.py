"""Checks shared by all that takes a user's values: what must hold, what was given, the remedy."""

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex, TypeVar, cast

from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.numbers import parameter

Value = TypeVar("Value")

_QUOTE = reprlib.Repr()
_QUOTE.maxstring = _QUOTE.maxother = 80
_DIGITS = 40  # of a number that is quoted in full


def real(name: str, value: object, low: float, high: float, *, closed_low: bool = False) -> float:
    """A finite number in (low, high), or [low, high).

    >>> real("alpha", 0.05, 0, 1)
    0.05
    >>> real("alpha", 1.5, 0, 1)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: alpha must be a number in (0, 1), got 1.5
    """
    bracket = "[" if closed_low else "("
    number = _float(value)
    inside = (low <= number if closed_low else low < number) and number < high
    if isinstance(value, bool) or not inside:
        raise InvalidInput(
            f"{name} must be a number in {bracket}{parameter(low)}, {parameter(high)}), got {quote(value)}"
        )
    return number


def _float(value: object) -> float:
    """A real number as a float: infinity where it is too large for one, NaN where it is none."""
    if not isinstance(value, Real):
        return math.nan
    try:
        return float(cast(SupportsFloat, value))
    except OverflowError:
        return math.inf


def positive(name: str, value: object) -> float:
    """A finite number above zero."""
    return real(name, value, 0, math.inf)


def whole(name: str, value: object, low: int, remedy: str = "", high: float = math.inf) -> int:
    """A whole number of at least `low`, and of at most `high` where there is a limit.

    >>> whole("rows", 0, 1)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: rows must be a whole number of at least 1, got 0
    >>> whole("jobs", 2000, 1, high=1000)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: jobs must be a whole number of at most 1000, got 2000; give fewer
    """
    number = int(cast(SupportsIndex, value)) if isinstance(value, Integral) else low - 1
    if isinstance(value, bool) or number < low:
        raise InvalidInput(f"{name} must be a whole number of at least {low}, got {quote(value)}{_tail(remedy)}")
    if number > high:
        raise InvalidInput(f"{name} must be a whole number of at most {high}, got {quote(value)}; give fewer")
    return number


def flag(name: str, value: object) -> bool:
    """True or False, and nothing that only behaves like one of them.

    >>> flag("complement", "no")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: complement must be True or False, got 'no'
    """
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):  # numpy's own
        raise InvalidInput(f"{name} must be True or False, got {quote(value)}")
    return bool(value)


def text(name: str, value: object) -> str:
    """Text.

    >>> text("attack", None)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: attack must be text, got None
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, got {quote(value)}")
    return value


def choice(name: str, value: object, known: Iterable[str]) -> str:
    """One of the known words; `name` is what a word is called.

    >>> choice("sampler", "mirrored", ("auto", "mirror"))
    Traceback (most recent call last):
    mlaudit.errors.UnknownName: no sampler is called 'mirrored'; did you mean 'mirror'?
    """
    words = tuple(known)
    if not isinstance(value, str):
        listed = ", ".join(repr(word) for word in words if word)
        raise InvalidInput(f"{name} must be one of {listed}, got {quote(value)}")
    if value not in words:
        raise UnknownName(name, value, words)
    return value


def instance(name: str, value: object, kind: type[Value] | tuple[type[Value], ...], remedy: str = "") -> Value:
    """A value of that kind, or of one of these kinds.

    >>> instance("claim", 1.0, Path)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: claim must be a Path, got float
    """
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(_a(one.__name__) for one in kinds)
        raise InvalidInput(f"{name} must be {wanted}, got {kind_of(value)}{_tail(remedy)}")
    return value


def with_methods(name: str, value: Any, wanted: str, methods: Sequence[str], remedy: str = "") -> Any:
    """An object that has these methods; a class is not one of its objects.

    >>> with_methods("engine", dict, "an engine", ["map_unordered"])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: engine must be an engine with a method map_unordered, got the class dict
    """
    missing = [method for method in methods if not callable(getattr(value, method, None))]
    if isinstance(value, type) or missing:
        those = f"a method {methods[0]}" if len(methods) == 1 else f"methods {' and '.join(methods)}"
        hint = remedy or (f"write {value.__name__}(…)" if isinstance(value, type) and not missing else "")
        raise InvalidInput(f"{name} must be {wanted} with {those}, got {kind_of(value)}{_tail(hint)}")
    return value


def function(name: str, value: Any, wanted: str) -> Callable[..., Any]:
    """A function, or an object that can be called like one; a class is not one of its objects.

    >>> function("attack", 5, "a function of (mechanism, data, rows, rng)")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: attack must be a function of (mechanism, data, rows, rng), got int
    """
    if isinstance(value, type) or not callable(value):
        hint = f"write {value.__name__}(…)" if isinstance(value, type) else ""
        raise InvalidInput(f"{name} must be {wanted}, got {kind_of(value)}{_tail(hint)}")
    return cast(Callable[..., Any], value)


def several(name: str, value: object, wanted: str) -> tuple[Any, ...]:
    """The entries of a list, a tuple or a flat array: whatever has an order and an end.

    >>> several("rows", {1, 2}, "whole numbers")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: rows must be a list or a tuple of whole numbers, got {1, 2}
    """
    flat = type(value).__name__ == "ndarray" and getattr(value, "ndim", 0) == 1
    if isinstance(value, str | bytes | bytearray | memoryview) or not (isinstance(value, Sequence) or flat):
        raise InvalidInput(f"{name} must be a list or a tuple of {wanted}, got {quote(value)}")
    return tuple(cast(Iterable[Any], value))


def mapping(name: str, value: object) -> Mapping[str, Any]:
    """A dictionary.

    >>> mapping("versions", [])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: versions must be a dictionary, got []
    """
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} must be a dictionary, got {quote(value)}")
    return value


def path_of(name: str, value: object) -> Path:
    """The path of a file or folder.

    >>> path_of("path", 3)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: path must name a file, as text or as a Path, got 3
    """
    named = value if isinstance(value, str) else fspath(value) if isinstance(value, PathLike) else b""
    if not isinstance(named, str) or not named or "\0" in named:
        raise InvalidInput(f"{name} must name a file, as text or as a Path, got {quote(value)}")
    return Path(named)


def quote(value: object) -> str:
    r"""Quote a value for a sentence: on one line, and short.

    >>> quote(10**400), quote("a\nb"), len(quote(list(range(10**6))))
    ('a number of more than 40 digits', "'a\\nb'", 23)
    """
    if isinstance(value, int) and abs(value) >= 10**_DIGITS:
        return f"a number of more than {_DIGITS} digits"  # Python itself refuses to write the largest
    text_of = f"{_a(type(value).__name__)} that cannot be shown"
    with suppress(Exception):  # a repr of the user's own
        text_of = _QUOTE.repr(value)
    return " ".join(text_of.split())


def kind_of(value: object) -> str:
    """What a value is, in a sentence: its type's name, or that it is a class itself."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def _a(name: str) -> str:
    return f"an {name}" if name[:1] in "AEIOUaeiou" else f"a {name}"


def _tail(remedy: str) -> str:
    return f"; {remedy}" if remedy else ""
