"""What a row depends on besides its settings: this package's source, the libraries, and code and files of the user's.

Too much in the hash costs a measurement that is repeated; too little keeps a row that other code has measured.
"""

import platform
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distributions, entry_points, requires, version
from pathlib import Path
from typing import Any

import mlaudit
from mlaudit.naming.commands import hash_files, is_command, read_command
from mlaudit.naming.files import TABLES, is_file
from mlaudit.naming.plugins import KINDS
from mlaudit.sweep.imports import package_version, source_version

_WITHOUT_EFFECT = ("drawing/engines/", "drawing/stores/", "report/")  # on any number
_EXTRAS_WITHOUT_EFFECT = ("test", "report", "dask", "ray")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


def code_version() -> str:
    """A hash of the source that numbers come from, defaults of options included, and of the libraries it uses."""
    root = Path(mlaudit.__file__).parent
    h = sha256(repr((platform.python_version_tuple()[:2], libraries(), _list_plugins())).encode())
    for path in sorted(root.rglob("*.py")):
        if not path.relative_to(root).as_posix().startswith(_WITHOUT_EFFECT):
            h.update(path.read_bytes())
    return h.hexdigest()


def libraries() -> dict[str, str]:
    """The version of every library that mlaudit declares as a requirement, "" for what is not installed.

    Requirements of the extras that only test, draw or send work around are left out.

    >>> {"numpy", "scikit-learn", "torch", "opacus", "diffprivlib"} <= set(libraries())
    True
    """
    try:
        declared = requires("mlaudit") or []
    except PackageNotFoundError:  # run from its source: whatever there is may matter
        return {found.metadata["Name"]: found.version for found in distributions()}
    return dict(sorted((name, _version(name)) for name in requirement_names(declared)))


def requirement_names(declared: list[str]) -> set[str]:
    """The names in requirements, without those of extras that have no effect on any number.

    >>> sorted(requirement_names(["numpy>=1.26", "torch<3,>=2; extra == 'dpsgd'", "ray>=2.9; extra == 'ray'"]))
    ['numpy', 'torch']
    """
    found = set()
    for text in declared:
        name, extra = _NAME.match(text), _EXTRA.search(text)
        if name and (extra is None or extra[1] not in _EXTRAS_WITHOUT_EFFECT):
            found.add(name[0])
    return found


def user_version(settings: Mapping[str, Any]) -> str:
    """A hash of the user's files and packages that settings name, and of what those files import.

    >>> user_version({"mechanism": "laplace"})
    ''
    """
    return ",".join(_hash_source(source) for source in dict.fromkeys(_list_sources(settings)))


def _list_sources(settings: Mapping[str, Any]) -> Iterator[str]:
    """Files, commands, and the sources of objects: `mine.py` of `mine.py:f`, `pkg.module` of `pkg.module:f`."""
    for value in settings.values():
        if isinstance(value, str) and is_command(value):
            yield value
            continue
        for part in value.split(",") if isinstance(value, str) else ():
            source, colon, _ = part.strip().rpartition(":")
            if colon or is_file(part.strip()):
                yield source if colon else part.strip()


def _hash_source(source: str) -> str:
    if is_command(source):
        return hash_files(read_command(source))
    if not source.endswith((".py", *TABLES)):
        return package_version(source.partition(".")[0])
    path = Path(source)
    if not path.is_file():
        return ""
    return source_version(path) if path.suffix == ".py" else sha256(path.read_bytes()).hexdigest()


def _list_plugins() -> list[tuple[str, ...]]:
    """What installed packages offer by name, and their versions."""
    found = [(kind, entry) for kind in KINDS for entry in entry_points(group=f"mlaudit.{kind}")]
    return sorted((kind, e.name, e.value, e.dist.version if e.dist else "") for kind, e in found)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
