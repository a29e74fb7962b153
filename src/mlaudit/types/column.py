"""Columns of a typed table: which values each may hold, and the number that stands for each value in X.

A number or a whole number is its own code, False and True are 0 and 1, a category or a text is its position in a
list, and a missing value is NaN. See docs/decisions/046-typed-columns.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan
from numbers import Integral, Real
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.card import list_some
from mlaudit.types.checks import flag, quote, real, several, text
from mlaudit.types.numbers import parameter

Value = str | int | float | bool | None
_LARGEST = 2**53  # the whole numbers up to here are floats
_UNSEEN = "unseen text"
_LISTED = 4
_NONE = ("NAType", "NaTType")  # of pandas


@runtime_checkable
class TypedColumn(Protocol):
    """One column of a typed table."""

    @property
    def name(self) -> str:
        """The name that the learner knows it by."""

    @property
    def missing(self) -> bool:
        """Whether a row may have no value here."""

    @property
    def whole(self) -> bool:
        """Whether all codes are whole numbers."""

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest code."""

    def code(self, value: object) -> float | None:
        """The code of a value that is there; None for a value that is not legal."""

    def decode(self, codes: FloatArray) -> AnyArray:
        """The values behind codes, in an array of a type that depends on the column only."""

    def describe(self) -> str:
        """The legal values in words."""


@dataclass(frozen=True)
class Number:
    """A column of numbers between two bounds.

    Args:
        name: The name of the column.
        low: The least number.
        high: The greatest number.
        missing: Whether a row may have no number; the learner then sees NaN.

    Raises:
        InvalidInput: If the bounds are not two finite numbers in order.

    Example:
        >>> Number("income", 0, 1e6, missing=True).decode(np.array([1.5, np.nan]))
        array([1.5, nan])
    """

    name: str
    low: float
    high: float
    missing: bool = False
    whole = False

    def __post_init__(self) -> None:
        _check_name(self)
        for end in ("low", "high"):
            object.__setattr__(self, end, real(f"{end} of column {self.name!r}", getattr(self, end), -inf, inf))
        _check_order(self.name, self.low, self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds."""
        return self.low, self.high

    def code(self, value: object) -> float | None:
        """The number itself."""
        number = _real(value)
        return number + 0.0 if number is not None and self.low <= number <= self.high else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """The numbers, NaN where there is none."""
        return np.array(codes, dtype=float)

    def describe(self) -> str:
        """The legal values in words."""
        return f"a number from {parameter(self.low)} to {parameter(self.high)}{_or_none(self)}"


@dataclass(frozen=True)
class Integer:
    """A column of whole numbers between two bounds.

    Args:
        name: The name of the column.
        low: The least number.
        high: The greatest number.
        missing: Whether a row may have no number; the learner then sees None.

    Raises:
        InvalidInput: If the bounds are not two whole numbers in order, of at most 2^53.

    Example:
        >>> Integer("age", 0, 120).decode(np.array([31.0, 7.0]))
        array([31,  7])
    """

    name: str
    low: int
    high: int
    missing: bool = False
    whole = True

    def __post_init__(self) -> None:
        _check_name(self)
        for end in ("low", "high"):
            object.__setattr__(self, end, _whole(f"{end} of column {self.name!r}", getattr(self, end)))
        _check_order(self.name, self.low, self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds."""
        return float(self.low), float(self.high)

    def code(self, value: object) -> float | None:
        """The number itself; 3.0 is 3."""
        number = _real(value)
        inside = number is not None and self.low <= number <= self.high and number.is_integer()
        return number + 0.0 if number is not None and inside else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """Whole numbers; as objects, with None for no number, if numbers may be missing."""
        return _decode_objects(codes, int) if self.missing else np.asarray(codes).astype(np.int64)

    def describe(self) -> str:
        """The legal values in words."""
        return f"a whole number from {self.low} to {self.high}{_or_none(self)}"


@dataclass(frozen=True)
class Boolean:
    """A column of True and False.

    Args:
        name: The name of the column.
        missing: Whether a row may have neither; the learner then sees None.

    Raises:
        InvalidInput: If the name is empty.

    Example:
        >>> Boolean("smokes", missing=True).decode(np.array([1.0, np.nan])).tolist()
        [True, None]
    """

    name: str
    missing: bool = False
    whole = True
    ends = (0.0, 1.0)

    def __post_init__(self) -> None:
        _check_name(self)

    def code(self, value: object) -> float | None:
        """0 for False, 1 for True."""
        return float(value) if isinstance(value, bool | np.bool_) else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """Truth values; as objects, with None for no value, if values may be missing."""
        return _decode_objects(codes, bool) if self.missing else np.asarray(codes).astype(bool)

    def describe(self) -> str:
        """The legal values in words."""
        return f"True or False{_or_none(self)}"


@dataclass(frozen=True)
class Category:
    """A column of a few values that are all known beforehand. No other value is legal.

    Args:
        name: The name of the column.
        values: The legal values, texts or numbers, all different.
        missing: Whether a row may have no value; the learner then sees None.

    Raises:
        InvalidInput: If there is no value, one comes twice, or one is neither text nor number.

    Example:
        >>> colour = Category("colour", ("red", "green"))
        >>> colour.code("green"), colour.code("blue"), colour.decode(np.array([0.0])).tolist()
        (1.0, None, ['red'])
    """

    name: str
    values: tuple[Value, ...]
    missing: bool = False
    whole = True

    def __post_init__(self) -> None:
        _check_name(self)
        given = several(f"values of column {self.name!r}", self.values, "texts or numbers")
        plain = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
        if not plain or not all(isinstance(value, str | int | float) and value == value for value in plain):  # noqa: PLR0124 - NaN
            raise InvalidInput(
                f"values of column {self.name!r} must be texts or numbers, at least one, got {quote(self.values)}"
            )
        if len(set(plain)) < len(plain):
            raise InvalidInput(f"values of column {self.name!r} must be all different, got {quote(self.values)}")
        object.__setattr__(self, "values", plain)

    @property
    def ends(self) -> tuple[float, float]:
        """The first and the last position."""
        return 0.0, float(len(self.values) - 1)

    def code(self, value: object) -> float | None:
        """The position of the value."""
        return _find(self._positions, value)

    def decode(self, codes: FloatArray) -> AnyArray:
        """The values, as objects; None for no value."""
        return _decode_objects(codes, lambda code: self.values[int(code)])

    def describe(self) -> str:
        """The legal values in words."""
        return f"one of {list_some([repr(value) for value in self.values], _LISTED)}{_or_none(self)}"

    @cached_property
    def _positions(self) -> dict[Value, int]:
        return {value: at for at, value in enumerate(self.values)}


@dataclass(frozen=True)
class Text:
    """A column of text. Any text is legal; an audit tries the listed ones, and one that is not among them.

    Args:
        name: The name of the column.
        values: The texts that an audit tries. A table adds those of its rows.
        missing: Whether a row may have no text; the learner then sees None.

    Raises:
        InvalidInput: If a value is no text, or comes twice.

    Example:
        >>> city = Text("city", ("Rome", "Oslo"))
        >>> city.decode(np.array([1.0, 2.0])).tolist()
        ['Oslo', 'unseen text']
    """

    name: str
    values: tuple[str, ...] = ()
    missing: bool = False
    whole = True

    def __post_init__(self) -> None:
        _check_name(self)
        given = several(f"values of column {self.name!r}", self.values, "texts")
        plain = tuple(str(text(f"a value of column {self.name!r}", value)) for value in given)
        if len(set(plain)) < len(plain):
            raise InvalidInput(f"values of column {self.name!r} must be all different, got {quote(self.values)}")
        object.__setattr__(self, "values", plain)

    @property
    def unseen(self) -> str:
        """A text that is not listed."""
        taken, number = set(self.values), 2
        found = _UNSEEN
        while found in taken:
            found, number = f"{_UNSEEN} {number}", number + 1
        return found

    @property
    def ends(self) -> tuple[float, float]:
        """The first listed text, and the unseen one."""
        return 0.0, float(len(self.values))

    def code(self, value: object) -> float | None:
        """The position of the text."""
        return _find(self._positions, value) if isinstance(value, str) else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """The texts, as objects; None for no text."""
        texts = (*self.values, self.unseen)
        return _decode_objects(codes, lambda code: texts[int(code)])

    def describe(self) -> str:
        """The legal values in words."""
        return f"any text{_or_none(self)}"

    def including(self, more: Sequence[str]) -> "Text":
        """The same column with more listed texts.

        >>> Text("city", ("Rome",)).including(["Oslo", "Rome"]).values
        ('Rome', 'Oslo')
        """
        return Text(self.name, tuple(dict.fromkeys((*self.values, *more))), self.missing)

    @cached_property
    def _positions(self) -> dict[Value, int]:
        return {value: at for at, value in enumerate((*self.values, self.unseen))}


def is_missing(value: object) -> bool:
    """Whether a value stands for no value: None, NaN, and those of pandas.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if value is None or type(value).__name__ in _NONE:
        return True
    return isinstance(value, float | np.floating) and isnan(value)


def encode(column: TypedColumn, values: Sequence[Any] | AnyArray) -> FloatArray:
    """The codes of a column's values.

    >>> encode(Boolean("smokes", missing=True), [True, None]).tolist()
    [1.0, nan]
    >>> encode(Integer("age", 0, 120), [31, 130])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: column 'age' must hold a whole number from 0 to 120 in every row, got 130 in row 1
    """
    codes = np.empty(len(values))
    for row, value in enumerate(values):
        code = (np.nan if column.missing else None) if is_missing(value) else column.code(value)
        if code is None:
            raise InvalidInput(
                f"column {column.name!r} must hold {column.describe()} in every row, got {quote(value)} in row {row}"
            )
        codes[row] = code
    return codes


def _decode_objects(codes: FloatArray, value_of: Callable[[float], Any]) -> AnyArray:
    found = np.empty(len(codes), dtype=object)
    found[:] = [None if isnan(code) else value_of(code) for code in codes.tolist()]
    return found


def _real(value: object) -> float | None:
    """A real number as a float; None for anything else, True and False among them."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return None


def _find(positions: dict[Value, int], value: object) -> float | None:
    plain: Any = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str | int | float):
        return None
    at = positions.get(plain)
    return None if at is None else float(at)


def _whole(name: str, value: object) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or abs(int(value)) > _LARGEST:
        raise InvalidInput(f"{name} must be a whole number of at most 2^53, got {quote(value)}")
    return int(value)


def _check_name(column: Any) -> None:
    if not text("name of a column", column.name):
        raise InvalidInput("name of a column must not be empty, got ''")
    flag(f"missing of column {column.name!r}", column.missing)


def _check_order(name: str, low: float, high: float) -> None:
    if low > high:
        raise InvalidInput(f"column {name!r} must have low ≤ high, got {parameter(low)} and {parameter(high)}")


def _or_none(column: TypedColumn) -> str:
    return ", or none" if column.missing else ""
