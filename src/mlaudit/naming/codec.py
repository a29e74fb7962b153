"""Values as JSON and back, without ever executing what a file says.

A value is written as its dataclass's name and fields, an array as its bytes. Reading builds only frozen dataclasses
of a few rooms of this package (and of classes the caller trusts by passing them), through their own validating
constructors. A class of ours is written by its name alone, so that moving it to another file keeps old results
readable; version 0.1.0 wrote `module:name`, and only the name is looked at. A value of a class that says
`shared_in_files` is written once, and as {"$same": number} wherever it comes again. Fields that a class lists in
`dropped_in_files` are of older files and are not read.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import quote
from mlaudit.types.claim import Relation

_ROOT = Path(__file__).parents[1]
ROOMS = (
    "types",
    "classifiers",
    "distinguish",
    "results",
    "scanning",
    "tracing",
    "refuting",
    "canaries",
)  # whose values files may hold
_OURS = "mlaudit."
_NUMBERS_AND_TEXT = "biufU"
_SHARED = "shared_in_files"
_DROPPED = "dropped_in_files"


def encode(value: Any) -> Any:
    """Plain JSON data for a value.

    >>> from mlaudit.types.claim import Claim
    >>> encode(Claim(1.0))["epsilon"], encode(np.arange(2))["shape"]
    (1.0, [2])
    """
    return _encode(value, {})


def decode(data: Any, trusted: tuple[type, ...] = ()) -> Any:
    """The value behind JSON data.

    >>> decode({"$type": "os:system", "command": "true"})
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a result file may only hold values of mlaudit, got 'os:system'
    """
    return _decode(data, trusted, [])


def _encode(value: Any, written: dict[Any, int]) -> Any:
    """JSON data for a value; `written` numbers the shared values so far."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else {"$float": repr(value)}
    if isinstance(value, Enum):
        return {"$relation": value.value}
    if isinstance(value, np.ndarray | np.generic):
        return _encode_array(np.asarray(value))
    if isinstance(value, tuple | list):
        return [_encode(v, written) for v in value]
    if isinstance(value, Mapping):
        return {str(k): _encode(v, written) for k, v in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _encode_dataclass(value, written)
    raise InvalidInput(f"only frozen dataclasses of numbers can be saved, got {type(value).__name__}")


def _encode_dataclass(value: Any, written: dict[Any, int]) -> Any:
    shared = getattr(value, _SHARED, False)
    if shared and value in written:
        return {"$same": written[value]}
    saved = [f.name for f in fields(value) if f.metadata.get("in_files", True)]
    # Fields that older files do not have are written "if given".
    late = {f.name for f in fields(value) if f.metadata.get("in_files") == "if given"}
    saved = [name for name in saved if name not in late or getattr(value, name) is not None]
    parts = {name: _encode(getattr(value, name), written) for name in saved}
    if shared:
        written[value] = len(written)
    return {"$type": _written_name(type(value)), **parts}


def _decode(data: Any, trusted: tuple[type, ...], read: list[Any]) -> Any:
    """The value behind JSON data; `read` holds the shared values so far."""
    if isinstance(data, list):
        return tuple(_decode(v, trusted, read) for v in data)
    if not isinstance(data, dict):
        return data
    if "$array" in data:
        return _decode_array(data)
    if "$float" in data:
        return float(data["$float"])
    if "$relation" in data:
        return Relation(data["$relation"])
    if "$same" in data:
        return _repeat_value(data["$same"], read)
    parts = {k: _decode(v, trusted, read) for k, v in data.items() if k != "$type"}
    if "$type" not in data:
        return parts
    kind = _class_of(data["$type"], trusted)
    made = kind(**{k: v for k, v in parts.items() if k not in getattr(kind, _DROPPED, ())})
    if getattr(made, _SHARED, False):
        read.append(made)
    return made


def _repeat_value(number: object, read: list[Any]) -> Any:
    if not isinstance(number, int) or not 0 <= number < len(read):
        raise InvalidInput(f"a result file may only repeat a value that stands before, got {quote(number)}")
    return read[number]


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


def _written_name(cls: type) -> str:
    """The class's name; somebody else's class comes with its module, so that it cannot pass for one of ours."""
    return cls.__qualname__ if cls.__module__.startswith(_OURS) else f"{cls.__module__}:{cls.__qualname__}"


def _class_of(written: object, trusted: tuple[type, ...]) -> Any:
    module, _, name = str(written).rpartition(":")
    for cls in trusted:
        if written == _written_name(cls) or written == f"{cls.__module__}:{cls.__qualname__}":
            return cls
    home = _find_modules().get(name) if not module or module.startswith(_OURS) else None
    found = getattr(import_module(home), name, None) if home else None
    if not is_dataclass(found):
        raise InvalidInput(f"a result file may only hold values of mlaudit, got {str(written)!r}")
    return found


@cache
def _find_modules() -> dict[str, str]:
    """The module of every class that a file may name, found without importing anything."""
    paths = [path for room in ROOMS for path in sorted((_ROOT / room).glob("*.py"))]
    return {
        name: f"mlaudit.{path.parent.name}.{path.stem}"
        for path in paths
        for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
