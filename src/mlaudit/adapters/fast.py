"""A mechanism drawn by one of mlaudit's samplers instead of its own fit."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from numpy.random import SeedSequence

from mlaudit import samplers
from mlaudit.adapters.convert import mechanism_name
from mlaudit.arms import BATCH
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism, Samples
from mlaudit.samplers._find import obstacle, sampler_module
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import choice
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.pair import Pair

Kind = Literal["mirror", "batched"]
SAMPLERS = ("auto", "library", "mirror", "batched")


@dataclass(frozen=True)
class Fast:
    """The same mechanism, drawn as `kind` says; what its fit gives can still be asked for."""

    mechanism: Mechanism
    kind: Kind

    def prepared(self, data: Dataset, target: FloatArray | None) -> Callable[..., FloatArray]:
        """What draws summaries of this dataset; see `mlaudit.samplers`."""
        made: Callable[..., FloatArray] = self._module.prepared(self.mechanism, data, target)
        return made

    @property
    def _module(self) -> ModuleType:
        return sampler_module(self.mechanism, self.kind)

    @property
    def batch(self) -> int:
        """How many trainings are drawn at once: fewer where each takes long."""
        return int(getattr(self._module, "BATCH", BATCH))

    @property
    def seeded_as(self) -> Mechanism:
        """Whose seeds it takes: a mirror repeats the mechanism's own trainings."""
        return self.mechanism if self.kind == "mirror" else self

    @property
    def code(self) -> str:
        """A hash of the samplers' source: stored draws are not those of another implementation."""
        folders = [*samplers.__path__, *getattr(self._module, "SOURCES", ())]
        files = sorted(path for folder in folders for path in Path(folder).glob("*.py"))
        return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()

    @property
    def name(self) -> str:
        """The mechanism's own name."""
        return mechanism_name(self.mechanism)

    @property
    def library(self) -> str | None:
        """Where the mechanism comes from."""
        return getattr(self.mechanism, "library", None)

    @property
    def uses_target(self) -> bool:
        """Whether the summary looks at x*."""
        return bool(getattr(self.mechanism, "uses_target", True))

    @property
    def flag(self) -> Callable[[FloatArray], str] | None:
        """What the mechanism says of its own outputs."""
        return getattr(self.mechanism, "flag", None)

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


def drawn_by(mechanism: Mechanism, wanted: str, pair: Pair) -> Mechanism:
    """The mechanism, drawn as wanted: `auto` takes the fastest sampler that stands for what is installed."""
    choice("sampler", wanted, SAMPLERS)
    if wanted == "library":
        if isinstance(mechanism, Samples):
            raise InvalidInput(f"{mechanism_name(mechanism)} draws in batches by itself; leave the sampler out")
        return mechanism
    kinds: tuple[Kind, ...] = ("batched", "mirror")
    for kind in kinds:
        if wanted in ("auto", kind):
            reason = obstacle(mechanism, kind, pair)
            if not reason:
                return Fast(mechanism, kind)
            if wanted == kind:
                raise InvalidInput(f"no {kind} sampler can be used here: {reason}; use the library's own fit")
    return mechanism


def plain(mechanism: Mechanism) -> Mechanism:
    """The mechanism itself, however it is drawn."""
    return mechanism.mechanism if isinstance(mechanism, Fast) else mechanism
