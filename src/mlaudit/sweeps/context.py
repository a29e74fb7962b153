"""What a row depends on besides its settings: this package's source, the libraries, and files that settings name."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import mlaudit

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "diffprivlib", "numba")
_WITHOUT_EFFECT = ("cli", "engines", "report", "stores")  # on any number
_FILES = (".csv", ".csv.gz", ".parquet")


def code_version() -> str:
    """A hash of the source that numbers come from, and of the versions of the libraries it uses."""
    root = Path(mlaudit.__file__).parent
    files = [path for path in sorted(root.rglob("*.py")) if path.relative_to(root).parts[0] not in _WITHOUT_EFFECT]
    h = sha256(repr([(name, _version(name)) for name in _LIBRARIES]).encode())
    for path in files:
        h.update(path.read_bytes())
    return h.hexdigest()


def files_version(settings: Mapping[str, Any]) -> str:
    """A hash of the user's files that settings name.

    >>> files_version({"mechanism": "laplace"})
    ''
    """
    digests = [sha256(path.read_bytes()).hexdigest() for path in _named(settings) if path.is_file()]
    return ",".join(digests)


def _named(settings: Mapping[str, Any]) -> Iterator[Path]:
    for value in settings.values():
        for part in value.split(",") if isinstance(value, str) else ():
            place = part.strip().rpartition(":")[0] if ".py:" in part else part.strip()
            if place.endswith((".py", *_FILES)):
                yield Path(place)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
