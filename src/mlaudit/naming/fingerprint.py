"""A hash of everything a mechanism's outputs may depend on, its source included: stored draws are reused by it.

Too much in the hash costs a redraw; too little would count draws of another mechanism. So when in doubt the
fingerprint is one of a kind and nothing is reused.
"""

import inspect
import json
import os
import sys
import sysconfig
import time
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from pickle import PicklingError
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, NoneType
from typing import Any, Protocol, cast, runtime_checkable
from uuid import uuid4

import joblib

from mlaudit.naming.describe import describe

_PACKAGES = ("site-packages", "dist-packages")
_STANDARD = tuple({sysconfig.get_path(kind) + os.sep for kind in ("stdlib", "platstdlib")})
_OWN = str(Path(__file__).parents[1]) + os.sep  # `python -m mlaudit` runs a file of it under another name
_SETTLED = 2 * 10**9  # nanoseconds after which every file system's clock has moved on
_WRAPPED = ("function", "estimator", "mechanism")


@runtime_checkable
class NamesItself(Protocol):
    """A mechanism that holds more than its outputs depend on, such as the folder that it was started in."""

    def fingerprint_parts(self) -> object:
        """The values that its outputs depend on."""


def user_code() -> str:
    """A hash of every loaded Python file that is not installed: the user's own, whoever imports it from whom.

    Taken once, before the first training: what a learner imports later must not change the name of its draws.
    """
    digests = []
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and file.endswith(".py") and not file.startswith(_OWN) and not is_installed(file):
            with suppress(OSError):
                state = os.stat(file)
                # Clocks of files are coarse: one that was changed just now is always read.
                read = _hash_file if time.time_ns() - state.st_mtime_ns > _SETTLED else _hash_file.__wrapped__
                digests.append(read(file, state.st_mtime_ns, state.st_size, state.st_ino))
    return sha256("".join(sorted(digests)).encode()).hexdigest()


@lru_cache(maxsize=10_000)
def _hash_file(file: str, *_state: int) -> str:
    return sha256(Path(file).read_bytes()).hexdigest()


def is_installed(file: str) -> bool:
    """Whether a file belongs to Python itself or to an installed package, as far as its path says."""
    return file.startswith(_STANDARD) or any(f"{os.sep}{name}{os.sep}" in file for name in _PACKAGES)


def fingerprint(mechanism: object) -> str:
    """Names, parameters, source and captured values of a mechanism, as one hash."""
    h = sha256(json.dumps(describe(mechanism), sort_keys=True, default=str).encode())
    for part in _parts(mechanism):
        h.update(_source(part))
        h.update(_hash_captured(part).encode())
    return h.hexdigest()


def _parts(value: object) -> list[object]:
    """The mechanism, and the function, estimator or mechanism that it wraps."""
    if isinstance(value, partial):
        return [value.args, value.keywords, *_parts(value.func)]
    inner = [getattr(value, name) for name in _WRAPPED if hasattr(value, name)]
    return [value, *(part for item in inner for part in _parts(item))]


def _source(value: object) -> bytes:
    owner: Any = value if isinstance(value, FunctionType | type) else type(value)
    try:
        return Path(inspect.getfile(owner)).read_bytes()
    except (TypeError, OSError):
        code = getattr(value, "__code__", None)
        return b"" if code is None else repr(_code(code)).encode()


def _hash_captured(value: object) -> str:
    """Code, closure, defaults and plain globals of a function; the state of anything else."""
    if isinstance(value, BuiltinFunctionType | type):
        return ""
    try:
        return str(joblib.hash(_state(value)))
    except (PicklingError, TypeError, AttributeError, ValueError):
        return uuid4().hex


def _state(value: object) -> object:
    if isinstance(value, FunctionType):
        return _function(value, set())
    if isinstance(value, NamesItself):
        return value.fingerprint_parts()
    if any(hasattr(value, name) for name in _WRAPPED) and hasattr(value, "__dict__"):
        return {k: v for k, v in vars(value).items() if k not in _WRAPPED}  # a part of its own
    return value


def _function(function: FunctionType, seen: set[int]) -> object:
    """What a function is made of, with the functions of its own module that it uses."""
    if id(function) in seen:
        return function.__qualname__
    seen.add(id(function))

    def inside(value: object) -> object:
        own = isinstance(value, FunctionType) and value.__globals__ is function.__globals__
        return _function(cast(FunctionType, value), seen) if own else value

    used = {name: inside(function.__globals__.get(name)) for name in sorted(_names(function.__code__))}
    skip = (ModuleType, FunctionType, BuiltinFunctionType, type, NoneType)
    plain = {name: value for name, value in used.items() if not isinstance(value, skip)}
    cells = [inside(cell.cell_contents) for cell in function.__closure__ or ()]
    return _code(function.__code__), cells, function.__defaults__, function.__kwdefaults__, plain


def _names(code: CodeType) -> set[str]:
    """Every name a function looks up, also in the comprehensions and lambdas inside it."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _code(code: CodeType) -> list[object]:
    """What a function does, without addresses or line numbers."""
    consts = [
        _code(c) if isinstance(c, CodeType) else sorted(map(repr, c)) if isinstance(c, frozenset) else repr(c)
        for c in code.co_consts
    ]
    return [code.co_code, code.co_names, code.co_varnames, consts]
