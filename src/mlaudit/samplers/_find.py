"""Which sampler stands in for a mechanism, and what stands in its way."""

import importlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mlaudit.errors import MissingExtra
from mlaudit.naming.describe import name_of
from mlaudit.protocols import Mechanism
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.pair import Pair


def load_sampler(mechanism: Mechanism, kind: str) -> SamplerSpec:
    """The sampler that draws this mechanism in this way, from the file of that name."""
    spec: SamplerSpec = importlib.import_module(f"mlaudit.samplers.{name_of(mechanism)}_{kind}").SAMPLER
    return spec


def find_obstacle(mechanism: Mechanism, kind: str, pair: Pair) -> str:
    """Why that sampler cannot stand in for the mechanism on this pair; "" if it can.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> find_obstacle(Laplace(), "mirror", Laplace().tight_pair(1))
    'there is none for laplace'
    """
    name = name_of(mechanism)
    # A subclass in somebody's file may train in another way: only the very class that the sampler was written for.
    ours = type(mechanism).__module__ == f"mlaudit.mechanisms.{name}"
    if not ours or not (Path(__file__).parent / f"{name}_{kind}.py").exists():
        return f"there is none for {name}"
    try:
        sampler = load_sampler(mechanism, kind)
    except MissingExtra as missing:
        return str(missing)
    for package, wanted in sampler.stands_for.items():
        installed = _version(package)
        if installed != wanted:
            return f"it follows {package} {wanted}, and {installed or 'none'} is installed"
    reasons = [sampler.refusal(mechanism, data) for data in (pair.base, pair.neighbour)]
    return next(filter(None, reasons), "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
