"""Where a mechanism is defined: the file and the line that a reviewer should open."""

import inspect
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from types import FunctionType, MethodType
from typing import Any, Literal, get_args

from mlaudit.naming.fingerprint import is_installed

# "traced" is a line inside the mechanism that was seen to leak; the others are where the mechanism is defined, and
# the test that states its claim. Readers take the first role that they find, in this order.
Role = Literal["traced", "definition", "test"]
ROLES: tuple[Role, ...] = get_args(Role)
_WRAPPED = ("function", "estimator", "learner", "mechanism")
_LONGEST = 1000  # characters of a path or a name


@dataclass(frozen=True)
class SourceLocation:
    """A line of a source file below the working directory.

    Args:
        role: What stands there.
        name: The function or class, as in "NoisyMeans", or the test.
        file: The path relative to the working directory, with forward slashes.
        line: The line, counted from 1.
        source: The text of the line, or "".

    Example:
        >>> SourceLocation("definition", "noisy_count", "private_stats/counts.py", 12).line
        12
    """

    role: Role
    name: str
    file: str
    line: int
    source: str = ""

    def as_data(self) -> dict[str, Any]:
        """Plain data for a result file; `read_location` reads it back."""
        return asdict(self)


def locate(mechanism: object) -> SourceLocation | None:
    """Find the definition of a mechanism, or of the function or learner that it wraps.

    Args:
        mechanism: A mechanism, a function, an estimator, or a trainer.

    Returns:
        Its class or function. None if the source is not below the working directory, or mlaudit's own: a file of an
        installed package is nothing that a reviewer of this project could change.

    Example:
        >>> locate(len) is None
        True
    """
    owner = _find_owner(mechanism)
    if _is_ours(owner.__module__):  # else a result would depend on where mlaudit itself was installed from
        return None
    try:
        file = inspect.getsourcefile(owner)
        line = inspect.getsourcelines(owner)[1]
    except (OSError, TypeError):  # built in, or typed into a shell
        return None
    return place(file, line, "definition", owner.__qualname__) if file else None


def place(file: str, line: int, role: Role, name: str, source: str = "") -> SourceLocation | None:
    """A line of a file, if the file lies below the working directory and is not an installed package's."""
    path = Path(file).resolve()
    here = Path.cwd().resolve()
    if not path.is_relative_to(here) or is_installed(str(path)):
        return None
    return SourceLocation(role, name, path.relative_to(here).as_posix(), max(line, 1), source[:_LONGEST])


def _find_owner(value: Any) -> Any:
    """The function or class whose source a reader wants to see."""
    if isinstance(value, partial):
        return _find_owner(value.func)
    if isinstance(value, MethodType):
        return value.__func__
    if isinstance(value, FunctionType | type):
        return inspect.unwrap(value)
    if _is_ours(type(value).__module__):
        for name in _WRAPPED:
            if hasattr(value, name):
                return _find_owner(getattr(value, name))
    return type(value)


def _is_ours(module: object) -> bool:
    return str(module).partition(".")[0] == "mlaudit"


def read_location(found: object) -> SourceLocation | None:
    """A location from a result file, which may be a stranger's; None if it is not a line below this directory.

    >>> read_location({"role": "definition", "name": "f", "file": "a/b.py", "line": 3}).file
    'a/b.py'
    >>> read_location({"role": "definition", "name": "f", "file": "../secrets.py", "line": 3}) is None
    True
    """
    if not isinstance(found, Mapping):
        return None
    role, name, file, line = (found.get(part) for part in ("role", "name", "file", "line"))
    source = found.get("source", "")
    if role not in ROLES or not isinstance(name, str) or not isinstance(file, str) or not isinstance(source, str):
        return None
    if isinstance(line, bool) or not isinstance(line, int) or not 1 <= line < 2**31:
        return None
    if len(name) > _LONGEST or not name.isprintable() or not _is_below(file):
        return None
    return SourceLocation(role, name, file, line, source if source.isprintable() and len(source) <= _LONGEST else "")


def _is_below(file: str) -> bool:
    parts = PurePosixPath(file).parts
    plain = 0 < len(file) <= _LONGEST and file.isprintable() and "\\" not in file
    return plain and not file.startswith("/") and ".." not in parts and ":" not in (parts or ("",))[0]
