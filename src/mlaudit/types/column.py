"""A column of a typed table: which values it may hold, and the number that stands for each value in X.

A number or a whole number is its own code, False and True are 0 and 1, a category or a text is its position in a
list, and a missing value is NaN. See docs/decisions/046-typed-columns.md. The kinds of columns are in
`number_columns` and `text_columns`.
"""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.checks import flag, quote, text

Value = str | int | float | bool | None
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

    >>> from mlaudit.types.number_columns import Boolean, Integer
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


def decode_objects(codes: FloatArray, value_of: Callable[[float], Any]) -> AnyArray:
    """The values behind codes, in an array of objects; None behind NaN."""
    found = np.empty(len(codes), dtype=object)
    found[:] = [None if isnan(code) else value_of(code) for code in codes.tolist()]
    return found


def check_name(column: Any) -> None:
    """Refuse a column without a name."""
    if not text("name of a column", column.name):
        raise InvalidInput("name of a column must not be empty, got ''")
    flag(f"missing of column {column.name!r}", column.missing)


def or_none(column: TypedColumn) -> str:
    """The words for a value that may be missing."""
    return ", or none" if column.missing else ""
