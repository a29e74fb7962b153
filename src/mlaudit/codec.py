"""Values as JSON and back, without ever executing what a file says.

A value is written as its dataclass's name and fields, an array as its bytes. Reading builds only frozen dataclasses
of this package (and of classes the caller trusts by passing them), through their own validating constructors.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from math import isfinite
from typing import Any

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Relation

_OURS = re.compile(r"mlaudit\.(types\.[a-z_]+|classifiers\.[a-z_]+|distinguisher|panel)")
_NUMBERS_AND_TEXT = "biufU"


def encode(value: Any) -> Any:
    """Plain JSON data for a value.

    >>> from mlaudit.types.claim import Claim
    >>> encode(Claim(1.0))["epsilon"], encode(np.arange(2))["shape"]
    (1.0, [2])
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else {"$float": repr(value)}
    if isinstance(value, Enum):
        return {"$relation": value.value}
    if isinstance(value, np.ndarray | np.generic):
        return _encode_array(np.asarray(value))
    if isinstance(value, tuple | list):
        return [encode(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: encode(getattr(value, f.name)) for f in fields(value)}
        return {"$type": f"{type(value).__module__}:{type(value).__qualname__}", **parts}
    raise InvalidInput(f"only frozen dataclasses of numbers can be saved, got {type(value).__name__}")


def decode(data: Any, trusted: tuple[type, ...] = ()) -> Any:
    """The value behind JSON data.

    >>> decode({"$type": "os:system", "command": "true"})
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a result file may only hold values of mlaudit, got 'os:system'
    """
    if isinstance(data, list):
        return tuple(decode(v, trusted) for v in data)
    if not isinstance(data, dict):
        return data
    if "$array" in data:
        return _decode_array(data)
    if "$float" in data:
        return float(data["$float"])
    if "$relation" in data:
        return Relation(data["$relation"])
    parts = {k: decode(v, trusted) for k, v in data.items() if k != "$type"}
    return _class_of(data["$type"], trusted)(**parts) if "$type" in data else parts


def _encode_array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    if array.dtype.kind not in _NUMBERS_AND_TEXT:
        raise InvalidInput(f"only arrays of numbers or text can be saved, got {array.dtype}")
    plain = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    text = base64.b64encode(plain.tobytes()).decode("ascii")
    return {"$array": text, "dtype": plain.dtype.str, "shape": list(array.shape)}


def _decode_array(data: dict[str, Any]) -> np.ndarray[Any, Any]:
    dtype = np.dtype(str(data["dtype"]))
    if dtype.kind not in _NUMBERS_AND_TEXT:
        raise InvalidInput(f"a result file may only hold arrays of numbers or text, got {dtype}")
    flat = np.frombuffer(base64.b64decode(data["$array"], validate=True), dtype=dtype)
    return flat.reshape(tuple(int(n) for n in data["shape"])).copy()


def _class_of(name: object, trusted: tuple[type, ...]) -> Any:
    for cls in trusted:
        if name == f"{cls.__module__}:{cls.__qualname__}":
            return cls
    module, _, attribute = str(name).partition(":")
    try:
        found = getattr(import_module(module), attribute, None) if _OURS.fullmatch(module) else None
    except ModuleNotFoundError:
        found = None
    if not is_dataclass(found) or not isinstance(found, type) or found.__module__ != module:
        raise InvalidInput(f"a result file may only hold values of mlaudit, got {str(name)!r}")
    return found
