"""A mechanism whose trainings one of mlaudit's samplers draws instead of its own fit; the choice of the sampler."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from numpy.random import SeedSequence

from mlaudit import kernels, samplers
from mlaudit.adapters.estimator import EstimatorMechanism
from mlaudit.drawing.elsewhere import find_train_many
from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.naming.describe import mechanism_name, name_of
from mlaudit.naming.versions import version_of
from mlaudit.protocols import Mechanism, SamplerKind, Samples
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import choice
from mlaudit.types.claim import Claim
from mlaudit.types.clipping import is_outside
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.pair import Pair
from mlaudit.types.traits import Traits, traits_of

Kind = Literal["mirror", "batched"]
DESCRIBED_AS = "Fast"  # the name in descriptions, from which seeds are derived
SAMPLERS = ("auto", "library", "mirror", "batched")


def load_sampler(mechanism: Mechanism, kind: str) -> SamplerSpec:
    """The sampler that draws this mechanism in this way, from the file of that name."""
    spec: SamplerSpec = importlib.import_module(f"mlaudit.samplers.{name_of(mechanism)}_{kind}").SAMPLER
    return spec


@dataclass(frozen=True)
class SampledMechanism:
    """A mechanism and the kind of sampler that draws its summaries; `fit` is still the mechanism's own."""

    mechanism: Mechanism
    kind: Kind

    @property
    def __name__(self) -> str:
        """The name in descriptions. Seeds depend on it, so it never changes."""
        return DESCRIBED_AS

    def prepare(self, data: Dataset, target: FloatArray | None) -> Callable[..., FloatArray]:
        """Do once what all trainings on the data share; return the function that draws summaries."""
        return self._sampler.prepare(self.mechanism, data, target)

    @property
    def _sampler(self) -> SamplerSpec:
        return load_sampler(self.mechanism, self.kind)

    @property
    def traits(self) -> Traits:
        """The mechanism's traits, with the sampler's batch size."""
        own, name = traits_of(self.mechanism), mechanism_name(self.mechanism)
        return replace(own, name=name, batch=self._sampler.batch)

    @property
    def seeded_as(self) -> Mechanism:
        """The mechanism whose seeds it takes: a mirror repeats the mechanism's own trainings."""
        return (
            self.mechanism if self.kind == "mirror" else replace(self, mechanism=self._sampler.bare(self.mechanism))
        )

    def source_digest(self) -> str:
        """A hash of the sampler's source, so that stored draws of another version are not reused."""
        return _hash_files(_folders_of(self._sampler))

    @property
    def claim(self) -> Claim:
        """The mechanism's claim."""
        return self.mechanism.claim

    def domain(self, data: Dataset) -> Domain | None:
        """The mechanism's domain."""
        return self.mechanism.domain(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The mechanism's own training."""
        return self.mechanism.fit(data, seed)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """The mechanism's own summary."""
        return self.mechanism.summary(model, target)


def choose_sampler(mechanism: Mechanism, wanted: str, pair: Pair) -> Mechanism:
    """Choose how to draw a mechanism's trainings.

    Args:
        mechanism: The mechanism.
        wanted: "library", "mirror" or "batched"; "auto" takes the fastest sampler that follows the installed version.
        pair: The pair on which it is drawn.

    Returns:
        The mechanism with that sampler, or as it is if its own fit or `sample` draws.

    Raises:
        InvalidInput: If the wanted sampler cannot be used here.
    """
    choice("sampler", wanted, SAMPLERS)
    if wanted == "library":
        if isinstance(mechanism, Samples):
            raise InvalidInput(f"{mechanism_name(mechanism)} draws in batches by itself; leave the sampler out")
        return mechanism
    kinds: tuple[Kind, ...] = ("batched", "mirror")
    for kind in kinds:
        if wanted in ("auto", kind):
            reason = find_obstacle(mechanism, kind, pair)
            if not reason:
                return SampledMechanism(mechanism, kind)
            if wanted == kind:
                raise InvalidInput(f"no {kind} sampler can be used here: {reason}; use the library's own fit")
    return mechanism


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
        return _no_sampler(mechanism)
    try:
        sampler = load_sampler(mechanism, kind)
    except MissingExtra as missing:
        return str(missing)
    for package, wanted in sampler.stands_for.items():
        installed = version_of(package)
        if installed != wanted:
            return f"it follows {package} {wanted}, and {installed or 'none'} is installed"
    if any(is_outside(data.X, data.domain).any() for data in (pair.base, pair.neighbour)):
        return "rows lie outside the declared domain, and only the library's own fit shows whether it clips them"
    reasons = [sampler.refusal(mechanism, data) for data in (pair.base, pair.neighbour)]
    return next(filter(None, reasons), "")


def explain_own_fit(mechanism: Mechanism, wanted: str, pair: Pair) -> str:
    """Why a mechanism's own fit draws although mlaudit has a faster sampler for it; "" if it has none, or uses it."""
    if wanted != "auto" or isinstance(mechanism, SampledMechanism):
        return ""
    reason = find_obstacle(mechanism, "batched", pair)
    return "" if reason == _no_sampler(mechanism) else reason


def _no_sampler(mechanism: Mechanism) -> str:
    """The obstacle of a mechanism that no sampler was written for."""
    return f"there is none for {name_of(mechanism)}"


def source_files(sampler: SamplerSpec) -> list[Path]:
    """The files whose code may decide what a sampler draws."""
    return _list_files(_folders_of(sampler))


def _folders_of(sampler: SamplerSpec) -> tuple[str, ...]:
    return (*samplers.__path__, *kernels.__path__, *sampler.sources)


def _list_files(folders: tuple[str, ...]) -> list[Path]:
    return sorted({path for folder in folders for path in Path(folder).rglob("*.py")})


@lru_cache(maxsize=8)
def _hash_files(folders: tuple[str, ...]) -> str:
    """A hash of the files; read once in a process, whose code does not change while it runs."""
    return sha256(b"".join(file.read_bytes() for file in _list_files(folders))).hexdigest()


def unwrap_sampled(mechanism: Mechanism) -> Mechanism:
    """The mechanism without its sampler."""
    return mechanism.mechanism if isinstance(mechanism, SampledMechanism) else mechanism


def sampler_of(mechanism: Mechanism) -> SamplerKind:
    """How results name the way in which a mechanism is drawn."""
    if isinstance(mechanism, SampledMechanism):
        return mechanism.kind
    if isinstance(mechanism, Samples):
        return "batched"
    inner = getattr(mechanism, "mechanism", mechanism)  # of one with another summary or domain
    if find_train_many(inner) is not None:
        return "program"
    of_library = isinstance(inner, EstimatorMechanism) or traits_of(mechanism).library
    return "library" if of_library else "function"
