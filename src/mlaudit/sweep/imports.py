"""A hash of a Python file and of all that it imports: neighbours by their source, packages by their version."""

import ast
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

_OURS = "mlaudit"  # hashed by itself


def source_version(path: Path) -> str:
    """A hash of a file, of the files beside it that it imports (and those import), and of packages' versions."""
    files, packages = {path.resolve()}, set[str]()
    left = [path.resolve()]
    while left:
        here = left.pop()
        for name in _read_imports(here):
            beside = _find_beside(here.parent, path.resolve().parent, name)
            left += [file for file in beside if file not in files]
            files.update(beside)
            if not beside:
                packages.add(name)
    sources = [sha256(file.read_bytes()).hexdigest() for file in sorted(files)]
    versions = [package_version(name) for name in sorted(packages)]
    return sha256(repr((sources, versions)).encode()).hexdigest()


def _read_imports(path: Path) -> set[str]:
    """The first words of every import of a file, wherever it stands; none where the file is no Python."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return set(_first_words(tree))


def _first_words(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from (name.partition(".")[0] for name in names)


def _find_beside(here: Path, top: Path, name: str) -> list[Path]:
    """The module of that name in the importing file's folder or in that of the first file; a package as a whole."""
    for folder in (here, top):
        if (folder / f"{name}.py").is_file():
            return [folder / f"{name}.py"]
        if (folder / name).is_dir():
            return sorted((folder / name).rglob("*.py"))
    return []


@cache
def package_version(name: str) -> str:
    """The versions of the distributions that an import name belongs to; the source of a package of no distribution.

    >>> package_version("sys"), package_version("no_such_package")
    ('', '')
    """
    if name in sys.stdlib_module_names or name == _OURS:
        return ""
    owners = sorted(set(_distributions().get(name, ())))
    if owners:
        return repr([(owner, version(owner)) for owner in owners])
    spec = None
    with suppress(ImportError, ValueError):
        spec = find_spec(name)
    if spec is None or spec.origin is None:
        return ""
    source = Path(spec.origin)
    files = sorted(source.parent.rglob("*.py")) if spec.submodule_search_locations else [source]
    return sha256(b"".join(path.read_bytes() for path in files if path.is_file())).hexdigest()


@cache
def _distributions() -> dict[str, list[str]]:
    """Which installed distributions an import name belongs to; reading them all takes a while."""
    return dict(packages_distributions())
