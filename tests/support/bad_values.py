"""Values that are wrong almost everywhere, and which kinds of argument may take some of them."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Surprising:
    """Raises something of its own when numpy looks at it."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise LookupError("no array")


def of_objects() -> Any:
    return np.array([object(), None], dtype=object)


# Made anew for every call: a generator is used up by the first.
VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "seven",
    "empty text": lambda: "",
    "bytes": lambda: b"seven",
    "bytearray": lambda: bytearray(b"7"),
    "dict": lambda: {"a": 1},
    "empty dict": dict,
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "empty list": list,
    "list of text": lambda: ["a", "b"],
    "list of None": lambda: [None],
    "nested": lambda: [[[0.5]]],
    "object": object,
    "unprintable": Unprintable,
    "surprising": Surprising,
    "class": lambda: dict,
    "function": lambda: lambda: None,
    "module": lambda: np,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "minus infinity": lambda: float("-inf"),
    "minus one": lambda: -1,
    "minus a half": lambda: -0.5,
    "zero": lambda: 0,
    "a half": lambda: 0.5,
    "a fraction": lambda: Fraction(1, 2),
    "numpy half": lambda: np.float64(0.5),
    "numpy three": lambda: np.int64(3),
    "numpy true": lambda: np.True_,
    "huge": lambda: 10**400,
    "huge float": lambda: 1e300,
    "True": lambda: True,
    "complex": lambda: 1 + 1j,
    "decimal": lambda: Decimal("0.5"),
    "date": lambda: dt.date(2024, 1, 1),
    "numpy date": lambda: np.datetime64("2024-01-01"),
    "empty array": lambda: np.empty(0),
    "empty rows": lambda: np.empty((0, 3)),
    "3-d array": lambda: np.zeros((2, 2, 2)),
    "object array": of_objects,
    "complex array": lambda: np.ones(2, dtype=complex),
    "NaN array": lambda: np.array([[np.nan]]),
    "text array": lambda: np.array(["1", "2"]),
    "generator": lambda: (i for i in range(3)),
    "set": lambda: {1, 2},
    "range": lambda: range(-2, 2),
    "exception": lambda: ValueError("no"),
}

_REALS = {"a half", "a fraction", "numpy half"}
_LARGE = {"huge float", "numpy three"}
_NUMBERS = _REALS | _LARGE | {"zero", "minus one", "minus a half", "True", "numpy true", "decimal", "huge"}
_ARRAYS = _NUMBERS | {"nested", "3-d array", "range", "list of None", "empty list", "empty array", "empty rows"}
_BOOLS = {"True", "numpy true"}
_TEXTS = {"text", "empty text"}

# What an argument of that kind may take; everything else must be refused.
TAKES: dict[str, set[str]] = {
    "share": _REALS,
    "probability": _REALS | {"zero"},
    "positive": _REALS | _LARGE,
    "at least 0": _REALS | _LARGE | {"zero"},
    "number": _REALS | _LARGE | {"zero", "minus one", "minus a half"},
    "limit": _REALS | _LARGE | {"infinity", "huge"},
    "whole": {"numpy three", "huge"},
    "whole from 0": {"numpy three", "huge", "zero"},
    "few": {"numpy three"},
    "count": {"numpy three", "zero"},
    "hits": {"numpy three", "zero", "empty list", "empty array", "True", "numpy true", "empty rows", "3-d array"},
    "flag": _BOOLS,
    "text": _TEXTS,
    "word": set(),
    "choice": {"empty text"},
    "threshold": _REALS | _LARGE | {"zero", "minus one", "minus a half", "infinity", "minus infinity"},
    "call or class": {"function", "class"},
    "name": _TEXTS,
    "path": {"text"},
    "value": set(),
    "call": {"function"},
    "array": _ARRAYS,
    "rows": _NUMBERS - {"huge"} | {"nested", "3-d array", "range"},
    "labels": {"None", "range", "list of text", "text array"},
    "corner": _NUMBERS - {"huge"} | {"range"},
    "table": {"NaN array"},
    "words": {"list of text", "text array"},
    "counts": {"range", "empty list", "empty array"},
    "notes": {"list of text", "empty list", "text array", "empty array"},
    "nothing in it": {"empty list", "empty array"},
    "mapping": {"dict", "empty dict"},
    "shares": set(),
    "weights": _ARRAYS | {"NaN array", "NaN", "infinity", "minus infinity"},
}


def optional(kind: str) -> str:
    """The same kind, with None."""
    return f"{kind}?"


def taken(kind: str) -> set[str]:
    """The names of the values that an argument of that kind may take."""
    return TAKES[kind[:-1]] | {"None"} if kind.endswith("?") else TAKES[kind]
