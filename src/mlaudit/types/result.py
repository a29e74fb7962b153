"""The outcome of one audit, with everything needed to repeat it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import instance, mapping, several, shown, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding
from mlaudit.types.pair import Pair

Sampler = Literal["library", "mirror", "batched", "function"]
Verdict = Literal["violation", "consistent", "unconfirmed"]


@dataclass(frozen=True)
class Provenance:
    """Where the numbers come from: what was run, on what, how often, with which versions.

    `seed` is the trainings' own; `learned_on` the one the witness was learned with, and never to be counted with.
    `stands_for` is the library and version whose trainings these are, or are drawn like. `repeatable` is False for a
    learner that takes randomness from elsewhere than its seed.
    """

    mechanism: str
    parameters: Mapping[str, Any]
    sampler: Sampler
    dataset: str
    procedure: Mapping[str, Any]
    trainings: int
    seed: int
    learned_on: int
    versions: Mapping[str, str]
    notes: tuple[str, ...] = field(default=())
    stands_for: str = ""
    repeatable: bool = True

    def __post_init__(self) -> None:
        for name in ("mechanism", "sampler", "dataset", "stands_for"):
            text(name, getattr(self, name))
        for name in ("parameters", "procedure", "versions"):
            mapping(name, getattr(self, name))
        whole("trainings", self.trainings, 1)
        whole("seed", self.seed, 0)
        whole("learned_on", self.learned_on, 0)
        if self.sampler not in get_args(Sampler):
            raise InvalidInput(f"sampler must be one of {', '.join(get_args(Sampler))}, got {self.sampler!r}")
        notes = several("notes", self.notes, "sentences")
        object.__setattr__(self, "notes", tuple(text("a note", note) for note in notes))


@dataclass(frozen=True)
class Confirmation:
    """What the library's own fit showed of a violation that a batched sampler had found, on trainings of its own."""

    bound: Bound
    trainings: int
    seed: int

    def __post_init__(self) -> None:
        instance("bound", self.bound, Bound)
        whole("trainings", self.trainings, 1)
        whole("seed", self.seed, 0)


@dataclass(frozen=True)
class AuditResult:
    """What was claimed, what was found, and whether the two go together."""

    claim: Claim
    pair: Pair
    attack: str
    finding: Finding
    verdict: Verdict
    provenance: Provenance
    confirmation: Confirmation | None = None

    def __post_init__(self) -> None:
        instance("claim", self.claim, Claim)
        instance("pair", self.pair, Pair)
        text("attack", self.attack)
        instance("finding", self.finding, Finding)
        instance("provenance", self.provenance, Provenance)
        if self.confirmation is not None:
            instance("confirmation", self.confirmation, Confirmation)
        if text("verdict", self.verdict) != judge(self.claim, self.finding, self.confirmation):
            raise InvalidInput(f"the verdict must follow from the bound, got {shown(self.verdict)}")

    @property
    def epsilon_lower(self) -> float:
        """The lower bound on the true ε."""
        return self.finding.bound.epsilon


def judge(claim: Claim, finding: Finding, confirmation: Confirmation | None = None) -> Verdict:
    """A violation is a bound above the claim that assumes nothing beyond it, and that stood its trial."""
    if not _refutes(claim, finding.bound):
        return "consistent"
    return "violation" if confirmation is None or _refutes(claim, confirmation.bound) else "unconfirmed"


def _refutes(claim: Claim, bound: Bound) -> bool:
    return bound.epsilon > claim.epsilon and (not bound.assuming or claim.gaussian)
