"""Which versions a result stands for."""

import platform
import sys
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version

from mlaudit import __version__
from mlaudit.naming.describe import mechanism_name
from mlaudit.naming.foreign import CATALOGUES
from mlaudit.types.traits import traits_of

_MATTER = ("diffprivlib", "numba", "numpy", "opacus", "scikit-learn", "scipy", "torch")


def versions(mechanism: object) -> dict[str, str]:
    """Python, the numerical libraries, and the library the mechanism comes from or that its traits name.

    >>> sorted(versions(object()))[:3]
    ['joblib', 'mlaudit', 'numpy']
    """
    names = ["joblib", "numpy", "scikit-learn", "scipy"]
    inner = getattr(mechanism, "estimator", getattr(mechanism, "function", mechanism))
    while isinstance(inner, partial):
        inner = inner.func
    module = getattr(inner, "__module__", None) or type(inner).__module__
    # A catalogue is named after the library that its functions call.
    library = (traits_of(mechanism).library or str(module).removeprefix(CATALOGUES)).partition(".")[0]
    found = {"mlaudit": __version__, "python": platform.python_version()}
    if traits_of(mechanism).version:
        found[mechanism_name(mechanism)] = traits_of(mechanism).version
    for name in (*names, *_distributions_of(library)):
        stated = version_of(name)
        if stated is not None:  # else the user's own file, or the standard library
            found.setdefault(name, stated)
    return dict(sorted(found.items()))


def installed_versions() -> dict[str, str]:
    """What decides about the numbers a training gives, here or in a worker; "" for what is not installed.

    >>> installed_versions()["mlaudit"] == __version__
    True
    """
    python = ".".join(platform.python_version_tuple()[:2])
    return {"mlaudit": __version__, "python": python, **{name: version_of(name) or "" for name in _MATTER}}


def library_of(mechanism: object) -> str:
    """The library that a mechanism trains with, and its version; "" if it names none.

    >>> library_of(object())
    ''
    """
    name = traits_of(mechanism).library
    return f"{name} {version_of(name) or ''}".strip() if name else ""


@cache
def version_of(name: str) -> str | None:
    """The installed version of a distribution; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@cache
def _distributions_of(library: str) -> tuple[str, ...]:
    """The installed distributions that a library's import name belongs to."""
    if library == "mlaudit" or library in sys.stdlib_module_names:
        return ()
    if version_of(library) is not None:
        return (library,)
    return _list_distributions().get(library, ())


@cache
def _list_distributions() -> dict[str, tuple[str, ...]]:
    """The installed distributions by import name. It takes half a second: it reads what all of them contain."""
    return {name: tuple(found) for name, found in packages_distributions().items()}
