"""A hash of everything a mechanism's outputs may depend on, its source included: stored draws are reused by it.

Too much in the hash costs a redraw; too little would count draws of another mechanism. So when in doubt the
fingerprint is one of a kind and nothing is reused.
"""

import inspect
import json
from functools import partial
from hashlib import sha256
from pathlib import Path
from pickle import PicklingError
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any
from uuid import uuid4

import joblib

from mlaudit.describe import describe


def fingerprint(mechanism: object) -> str:
    """Names, parameters, source and captured values of a mechanism, as one hash."""
    h = sha256(json.dumps(describe(mechanism), sort_keys=True, default=str).encode())
    for part in _parts(mechanism):
        h.update(_source(part))
        h.update(_captured(part).encode())
    return h.hexdigest()


def _parts(value: object) -> list[object]:
    """The mechanism, and the function or estimator that it wraps."""
    if isinstance(value, partial):
        return [value.args, value.keywords, *_parts(value.func)]
    inner = [getattr(value, name) for name in ("function", "estimator") if hasattr(value, name)]
    return [value, *(part for item in inner for part in _parts(item))]


def _source(value: object) -> bytes:
    owner: Any = value if isinstance(value, FunctionType | type) else type(value)
    try:
        return Path(inspect.getfile(owner)).read_bytes()
    except (TypeError, OSError):
        code = getattr(value, "__code__", None)
        return b"" if code is None else code.co_code + repr(code.co_consts).encode()


def _captured(value: object) -> str:
    """Closure, defaults and plain globals of a function; the state of anything else."""
    state: object = value
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        used = {name: value.__globals__.get(name) for name in value.__code__.co_names}
        skip = (ModuleType, FunctionType, BuiltinFunctionType, type)
        plain = {k: v for k, v in used.items() if v is not None and not isinstance(v, skip)}
        state = (cells, value.__defaults__, value.__kwdefaults__, plain)
    elif isinstance(value, BuiltinFunctionType | type):
        return ""
    try:
        return str(joblib.hash(state))
    except (PicklingError, TypeError, AttributeError, ValueError):
        return uuid4().hex
