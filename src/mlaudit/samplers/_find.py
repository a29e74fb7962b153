"""Which sampler stands in for a mechanism, and what stands in its way."""

import importlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from mlaudit.describe import name_of
from mlaudit.errors import MissingExtra
from mlaudit.protocols import Mechanism
from mlaudit.types.pair import Pair


def sampler_module(mechanism: Mechanism, kind: str) -> ModuleType:
    """The file that draws this mechanism in this way."""
    return importlib.import_module(f"mlaudit.samplers.{name_of(mechanism)}_{kind}")


def obstacle(mechanism: Mechanism, kind: str, pair: Pair) -> str:
    """Why that sampler cannot stand in for the mechanism on this pair; "" if it can.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> obstacle(Laplace(), "mirror", Laplace().tight_pair(1))
    'there is none for laplace'
    """
    name = name_of(mechanism)
    # A subclass in somebody's file may train in another way: only the very class that the sampler was written for.
    ours = type(mechanism).__module__ == f"mlaudit.mechanisms.{name}"
    if not ours or not (Path(__file__).parent / f"{name}_{kind}.py").exists():
        return f"there is none for {name}"
    try:
        module = sampler_module(mechanism, kind)
    except MissingExtra as missing:
        return str(missing)
    for package, wanted in module.STANDS_FOR.items():
        installed = _version(package)
        if installed != wanted:
            return f"it follows {package} {wanted}, and {installed or 'none'} is installed"
    refusal = getattr(module, "refusal", None)
    reasons = [refusal(mechanism, data) for data in (pair.base, pair.neighbour)] if refusal else []
    return next(filter(None, reasons), "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
