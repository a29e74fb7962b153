"""Any object as plain data: what results record, and what seeds are derived from.

The description is made of names and numbers only, so that it is the same on every machine and after any change of
code that keeps names and parameters.
"""

import re
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from functools import partial
from hashlib import sha256
from types import FunctionType
from typing import Any

import numpy as np

from mlaudit.types.dataset import Dataset
from mlaudit.types.traits import traits_of

_SHORT = 32
_DIGITS = 12
_SHIPPED = re.compile(r"mlaudit\.(?:mechanisms|attacks|procedures|intervals|classifiers|trainers)\.([a-z]\w*)")


def describe(value: object) -> Any:
    """Plain data for any value.

    >>> from mlaudit.types.claim import Claim
    >>> describe(Claim(1.0))
    {'type': 'Claim', 'epsilon': 1.0, 'delta': 0.0, 'relation': 'replace-one', 'gaussian': False}
    >>> describe((1, np.arange(2)))
    [1, [0, 1]]
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Enum | np.generic):
        return value.value if isinstance(value, Enum) else value.item()
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Mapping):
        return {str(k): describe(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [describe(v) for v in value]
    return _object(value)


def round_numbers(described: Any) -> Any:
    """A description with its numbers rounded to 12 significant digits.

    What seeds are made from must not hang on the last digit of a number that was computed, as an accountant's ε: it
    depends on the processor.

    >>> round_numbers({"epsilon": 0.1 + 0.2, "rows": [3, 1 / 3]})
    {'epsilon': 0.3, 'rows': [3, 0.333333333333]}
    """
    if isinstance(described, float):
        return float(f"{described:.{_DIGITS - 1}e}")
    if isinstance(described, dict):
        return {name: round_numbers(value) for name, value in described.items()}
    return [round_numbers(value) for value in described] if isinstance(described, list) else described


def name_of(value: object) -> str:
    """The name a person would call it by: what mlaudit ships goes by its file's name.

    >>> from mlaudit.intervals.katz_log import KatzLog
    >>> name_of(len), name_of(KatzLog())
    ('len', 'katz_log')
    """
    if isinstance(value, partial):
        return name_of(value.func)
    shipped = _SHIPPED.fullmatch(type(value).__module__)
    if shipped:
        return shipped.group(1)
    return str(getattr(value, "__name__", None) or type(value).__name__)


def mechanism_name(mechanism: object) -> str:
    """What results call the mechanism: the name in its traits, or that of its class or file."""
    return traits_of(mechanism).name or name_of(mechanism)


def _array(value: np.ndarray[Any, Any]) -> Any:
    if value.size <= _SHORT:
        return value.tolist()
    digest = sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return {"shape": list(value.shape), "sha256": digest[:32]}


def _is_left_out(value: object, field: "Field[Any]") -> bool:
    """Whether the field is no part of a description: seeds are derived from descriptions, and must stay the same.

    A field that came later and is not used is none, and neither is one that says so.
    """
    unused = field.metadata.get("later", False) and getattr(value, field.name) is None
    return unused or not field.metadata.get("described", True)


def _object(value: object) -> Any:
    if isinstance(value, Dataset):
        return {"rows": len(value), "sha256": value.digest[:32]}
    if isinstance(value, FunctionType | type):
        return value.__qualname__
    if is_dataclass(value):
        parts = {f.name: describe(getattr(value, f.name)) for f in fields(value) if not _is_left_out(value, f)}
        # A reader of a result must not take somebody's Laplace for ours.
        ours = type(value).__module__.startswith("mlaudit.")
        return {"type": name_of(value), **({} if ours else {"outside": True}), **parts}
    if isinstance(value, partial):
        return {"function": describe(value.func), "args": describe(value.args), **describe(value.keywords)}
    params = getattr(value, "get_params", None)
    if callable(params):
        return {"type": type(value).__name__, **describe(params(deep=False))}
    return name_of(value)
