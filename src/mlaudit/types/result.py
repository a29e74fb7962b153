"""The outcome of one audit, with everything needed to repeat it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair

Sampler = Literal["library", "mirror", "batched", "function"]
Verdict = Literal["violation", "consistent"]


@dataclass(frozen=True)
class Provenance:
    """Where the numbers come from: what was run, on what, how often, with which versions.

    `seed` is the trainings' own; `learned_on` the one the witness was learned with, and never to be counted with.
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

    def __post_init__(self) -> None:
        whole("trainings", self.trainings, 1)
        whole("seed", self.seed, 0)
        whole("learned_on", self.learned_on, 0)
        object.__setattr__(self, "notes", tuple(self.notes))


@dataclass(frozen=True)
class AuditResult:
    """What was claimed, what was found, and whether the two go together."""

    claim: Claim
    pair: Pair
    attack: str
    finding: Finding
    verdict: Verdict
    provenance: Provenance

    def __post_init__(self) -> None:
        if self.verdict != judge(self.claim, self.finding):
            raise InvalidInput(f"the verdict {self.verdict!r} does not follow from the bound")

    @property
    def epsilon_lower(self) -> float:
        """The lower bound on the true ε."""
        return self.finding.bound.epsilon


def judge(claim: Claim, finding: Finding) -> Verdict:
    """A violation is a bound above the claim that assumes nothing the claim does not say."""
    assumed = finding.bound.assuming
    refutes = finding.bound.epsilon > claim.epsilon
    return "violation" if refutes and (not assumed or claim.gaussian) else "consistent"
