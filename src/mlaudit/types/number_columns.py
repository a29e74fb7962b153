"""Columns of numbers, whole numbers and truth values."""

from dataclasses import dataclass
from math import inf
from numbers import Integral, Real

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.checks import quote, real
from mlaudit.types.column import check_name, decode_objects, or_none
from mlaudit.types.numbers import parameter

_LARGEST = 2**53  # the whole numbers up to here are floats


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
        check_name(self)
        for end in ("low", "high"):
            object.__setattr__(self, end, real(f"{end} of column {self.name!r}", getattr(self, end), -inf, inf))
        _check_order(self.name, self.low, self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds."""
        return self.low, self.high

    def code(self, value: object) -> float | None:
        """The code of a `value` is the number itself; None if the value is not legal."""
        number = _real(value)
        return number + 0.0 if number is not None and self.low <= number <= self.high else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """The numbers behind `codes`, NaN where there is none."""
        return np.array(codes, dtype=float)

    def describe(self) -> str:
        """The legal values in words."""
        return f"a number from {parameter(self.low)} to {parameter(self.high)}{or_none(self)}"


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
        check_name(self)
        for end in ("low", "high"):
            object.__setattr__(self, end, _whole(f"{end} of column {self.name!r}", getattr(self, end)))
        _check_order(self.name, self.low, self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds."""
        return float(self.low), float(self.high)

    def code(self, value: object) -> float | None:
        """The code of a `value` is the number itself; 3.0 is 3. None if the value is not legal."""
        number = _real(value)
        inside = number is not None and self.low <= number <= self.high and number.is_integer()
        return number + 0.0 if number is not None and inside else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """The whole numbers behind `codes`; as objects, with None for no number, if numbers may be missing."""
        return decode_objects(codes, int) if self.missing else np.asarray(codes).astype(np.int64)

    def describe(self) -> str:
        """The legal values in words."""
        return f"a whole number from {self.low} to {self.high}{or_none(self)}"


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
        check_name(self)

    def code(self, value: object) -> float | None:
        """The code of a `value`: 0 for False, 1 for True, None for anything else."""
        return float(value) if isinstance(value, bool | np.bool_) else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """The truth values behind `codes`; as objects, with None for no value, if values may be missing."""
        return decode_objects(codes, bool) if self.missing else np.asarray(codes).astype(bool)

    def describe(self) -> str:
        """The legal values in words."""
        return f"True or False{or_none(self)}"


def _real(value: object) -> float | None:
    """A real number as a float; None for anything else, True and False among them."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return None


def _whole(name: str, value: object) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or abs(int(value)) > _LARGEST:
        raise InvalidInput(f"{name} must be a whole number of at most 2^53, got {quote(value)}")
    return int(value)


def _check_order(name: str, low: float, high: float) -> None:
    if low > high:
        raise InvalidInput(f"column {name!r} must have low ≤ high, got {parameter(low)} and {parameter(high)}")
