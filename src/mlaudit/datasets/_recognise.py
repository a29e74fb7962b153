"""Columns that a learner should not see: identifiers and dates, recognised by stated rules."""

import re
from collections.abc import Iterator

import numpy as np

from mlaudit.datasets._table import MISSING, Text
from mlaudit.types.arrays import FloatArray

_FEWEST = 20  # rows below which "in nearly every row" says nothing
_NEARLY_ALL, _HALF = 0.95, 0.5
_SAMPLE = 1000  # values that are looked at first: most columns are settled by them
_NAMED = re.compile(r"(.*[_\-. ])?(id|uuid|guid|index|rowid)|unnamed: ?\d+|", re.IGNORECASE)
_CAMEL = re.compile(r".*[a-z](Id|ID|Uuid|UUID)")
_WHOLE = re.compile(r"[+-]?\d+")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
_DAY_FIRST, _YEAR_FIRST = r"\d{1,2}(?P<a>[./])\d{1,2}(?P=a)\d{2,4}", r"\d{4}(?P<b>[./])\d{1,2}(?P=b)\d{1,2}"
_DATE = re.compile(f"{_ISO.pattern}|{_DAY_FIRST}|{_YEAR_FIRST}")
_TRUE, _FALSE = ("true", "t", "yes", "y"), ("false", "f", "no", "n")


def recognise(name: str, column: Text) -> str:
    """Why a column should be dropped; "" if it should not.

    >>> recognise("customer_id", np.array(["7", "9", "4"]))
    'identifier'
    >>> recognise("signup", np.array(["2024-01-31", "", "2023-12-01"]))
    'date'
    >>> recognise("age", np.array(["31", "47", "52"]))
    ''
    """
    there = column[~np.isin(column, MISSING)]
    if not there.size:
        return "no value in any row"
    if are_dates(there):
        return "date"
    return "identifier" if _is_identifier(name.strip(), there) else ""


def _is_identifier(name: str, there: Text) -> bool:
    named = bool(_NAMED.fullmatch(name) or _CAMEL.fullmatch(name))
    if not named and (len(there) < _FEWEST or _share(there[:_SAMPLE]) < _NEARLY_ALL):
        return False
    share = _share(there)
    if named:
        return share >= _HALF
    if share < _NEARLY_ALL:
        return False
    # A word among numbers is a mistake in a column of numbers, and must not hide it.
    return _are_numbered_rows(there) if _count_numbers(there[:_SAMPLE]) > _HALF * len(there[:_SAMPLE]) else True


def _share(values: Text) -> float:
    """Different values among all."""
    return len(set(values.tolist())) / len(values)


def _are_numbered_rows(values: Text) -> bool:
    """Whether the values are consecutive whole numbers in their order."""
    if not all(_WHOLE.fullmatch(value) for value in values.tolist()):
        return False
    steps = set(np.diff([int(value) for value in values.tolist()]).tolist())
    return steps in ({1}, {-1})


def are_numbers(values: Text) -> bool:
    """Whether every value is a number."""
    return _count_numbers(values) == len(values)


def is_number(value: str) -> bool:
    """Whether Python reads a number in the text.

    >>> is_number("-1e3"), is_number("1,5")
    (True, False)
    """
    try:
        float(value)
    except ValueError:
        return False
    return True


def _count_numbers(values: Text) -> int:
    return sum(map(is_number, values.tolist()))


def are_dates(values: Text) -> bool:
    """Whether every value is a date, with or without a time of day.

    >>> are_dates(np.array(["31.12.2024", "1/2/23"])), are_dates(np.array(["2024-01-31 10:30", "soon"]))
    (True, False)
    """
    return all(_DATE.fullmatch(value) for value in values.tolist())


def read_days(values: Text) -> FloatArray | None:
    """Dates as days since 1970-01-01; None unless all are written as 2024-01-31, for other forms are ambiguous.

    >>> read_days(np.array(["1970-01-02", "1970-01-03T12:00"])).tolist()
    [1.0, 2.5]
    >>> read_days(np.array(["1/2/2024"]))
    """
    if not all(_ISO.fullmatch(value) for value in values.tolist()):
        return None
    try:
        moments = np.array([np.datetime64(text, "s") for text in _without_zones(values)])
    except ValueError:  # 2024-13-45
        return None
    return np.asarray(moments.astype(np.int64) / 86_400.0)


def _without_zones(values: Text) -> Iterator[str]:
    """The local time of each: a few hours do not matter where the unit is a day."""
    for value in values.tolist():
        yield re.sub(r"(Z|(?<=:\d\d)[+-]\d{2}:?\d{2}|\.\d+.*)$", "", value)


def read_booleans(values: Text) -> FloatArray | None:
    """True and false, yes and no as 1 and 0; None if the values are something else.

    >>> read_booleans(np.array(["True", "false"])).tolist(), read_booleans(np.array(["yes", "perhaps"]))
    ([1.0, 0.0], None)
    """
    found = {value.lower() for value in set(values.tolist())}
    for yes, no in zip(_TRUE, _FALSE, strict=True):
        if found <= {yes, no}:
            return np.array([float(value.lower() == yes) for value in values.tolist()])
    return None
