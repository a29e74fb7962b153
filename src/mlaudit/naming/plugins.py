"""Text to object, for the command line and configuration files only.

A name is a file of this package or an entry point in the group mlaudit.<kind>; `pkg.module:Object` and
`my_file.py:Object` reach the user's own code. Listing names imports nothing.

Two functions, for two kinds of text. `load` may import any file: it is for what the user types, and for the sweep
files that the user runs. `load_shipped` imports only what is installed: it is for everything else, above all for
names that stand in result files, which may come from a stranger. A test lists the modules that may call `load`.
"""

import ast
import importlib
import importlib.util
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mlaudit.errors import AuditError, InvalidInput, UnknownName
from mlaudit.naming.clashes import refuse_clashing_versions
from mlaudit.naming.commands import is_command, refuse_command

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

_PARTS = ("mechanisms", "attacks", "procedures", "intervals", "classifiers", "datasets", "trainers")
# The folder of every kind of plug-in, in the order in which `mlaudit list` shows them.
_FOLDERS = {kind: kind for kind in _PARTS} | {
    "engines": "drawing.engines",
    "stores": "drawing.stores",
    "kinds": "sweep.kinds",
    "figures": "report.figures",
    "exhibits": "testing.zoo",
    "catalogues": "library.catalogues",
}
KINDS = tuple(_FOLDERS)


def names(kind: str) -> dict[str, str]:
    """Every name of a kind, with its one-line description.

    >>> "swap_x" in names("attacks")
    True
    """
    files = {name: _first_line(path) for name, path in shipped(kind).items()}
    others = {e.name: f"from {e.value}" for e in _entry_points(kind)}
    return {**others, **files}


def shipped(kind: str) -> dict[str, Path]:
    """The files of this package that make up a kind."""
    return dict(_list_files(_FOLDERS.get(kind, kind)))


@cache  # the package does not change while it runs, and a search asks thousands of times
def _list_files(folder: str) -> dict[str, Path]:
    files = Path(__file__).parents[1].joinpath(*folder.split(".")).glob("[!_]*.py")
    return {path.stem: path for path in sorted(files)}


def load(kind: str, text: str) -> Any:
    """The object that the user's own text names; imports the user's code if the text says so.

    Never call this with text from a result file: use `load_shipped`.

    >>> load("attacks", "swap_x").__name__
    'SwapX'
    >>> load("attacks", "swapx")
    Traceback (most recent call last):
    mlaudit.errors.UnknownName: no attack is called 'swapx'; did you mean 'swap_x'?
    """
    if is_command(text):
        raise InvalidInput(f"a command runs as a mechanism of its own, got {text!r} where an object is needed")
    return _load_from_outside(text) if ":" in text else load_shipped(kind, text)


def load_shipped(kind: str, name: str) -> Any:
    """The object of that name in this package, or in an installed package that registers an entry point.

    >>> load_shipped("attacks", "swap_x").__name__
    'SwapX'
    >>> load_shipped("figures", "theirs/evil.py:draw")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a file may only name a figure that is installed, got 'theirs/evil.py:draw'
    """
    if ":" in name:
        raise InvalidInput(f"a file may only name a {kind.removesuffix('s')} that is installed, got {name!r}")
    module = load_module(kind, name)
    if module is not None:
        return _main_object(module, kind, name)
    for entry in _entry_points(kind).select(name=name):
        return entry.load()
    raise UnknownName(kind.removesuffix("s"), name, names(kind))


def check_name(kind: str, text: str) -> None:
    """Raise if there cannot be an object of that name; imports nothing, so that a wrong name is told at once.

    >>> check_name("attacks", "swap_x")
    >>> check_name("attacks", "swapx")
    Traceback (most recent call last):
    mlaudit.errors.UnknownName: no attack is called 'swapx'; did you mean 'swap_x'?
    """
    if is_command(text):
        refuse_command(kind, text)
        return
    source, colon, _ = text.rpartition(":")
    if colon:
        if source.endswith(".py"):
            _require_file(Path(source))
    elif text not in shipped(kind) and not _entry_points(kind).select(name=text):
        raise UnknownName(kind.removesuffix("s"), text, names(kind))


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InvalidInput(f"{path} must be a Python file, got no such file; check the path")


def _entry_points(kind: str) -> "EntryPoints":
    """What installed packages offer as this kind."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - it takes as long to import as all of `--help`

    return entry_points(group=f"mlaudit.{kind}")


@cache  # reads the metadata of every installed package, and a trace asks for each learner
def load_installed(kind: str) -> dict[str, Any]:
    """The objects that installed packages register in the group of a kind, by name.

    >>> load_installed("sources")
    {}
    """
    return {entry.name: entry.load() for entry in _entry_points(kind)}


def load_module(kind: str, text: str) -> ModuleType | None:
    """The file of this package that has that name, if there is one.

    >>> load_module("attacks", "swapx") is None
    True
    """
    if text not in shipped(kind):
        return None
    return importlib.import_module(f"mlaudit.{_FOLDERS.get(kind, kind)}.{text}")


def load_file(path: Path) -> ModuleType:
    """A Python file as a module that worker processes can use too."""
    _require_file(path)
    name = f"mlaudit_file_{path.stem}_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidInput(f"{path} must be a Python file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # Its neighbours can be imported, last: it must not shadow anybody's modules.
    sys.path.append(str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        if isinstance(error, ImportError) and (error.name or "").startswith("sklearn."):
            refuse_clashing_versions()
        raise InvalidInput(f"{path} must import without error, got {type(error).__name__}: {error}") from error
    _send_by_value(module)
    return module


def _send_by_value(module: ModuleType) -> None:
    """Workers cannot import a file by this name, so its functions and classes travel whole."""
    import cloudpickle  # noqa: PLC0415 - only where a user's file is loaded

    cloudpickle.register_pickle_by_value(module)


def _load_from_outside(text: str) -> Any:
    source, _, attribute = text.rpartition(":")
    try:
        module = load_file(Path(source)) if source.endswith(".py") else importlib.import_module(source)
    except (AuditError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InvalidInput(f"{source!r} must be an importable module or a .py file, got: {error}") from error
    if not hasattr(module, attribute):
        raise UnknownName(f"object of {source}", attribute, [n for n in vars(module) if not n.startswith("_")])
    return getattr(module, attribute)


def _main_object(module: ModuleType, kind: str, stem: str) -> Any:
    """By convention the object named like its file: swap_x.py holds SwapX, the store sqlite.py holds SqliteStore."""
    wanted = stem.replace("_", "")
    for spelt in (f"{wanted}{kind.removesuffix('s')}", wanted):
        for name, value in vars(module).items():
            if name.lower().replace("_", "") == spelt:
                return value
    raise InvalidInput(f"{module.__name__} must hold an object named like its file, got none; rename one of the two")


@cache
def _first_line(path: Path) -> str:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return doc.partition("\n")[0]
