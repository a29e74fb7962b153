"""The outcome of an audit by canaries."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from mlaudit.types.checks import choice, instance, mapping, real, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, GuessCounts

Kind = Literal["one run", "white box"]


@dataclass(frozen=True)
class CanaryResult:
    """What a trainer claims, what canaries showed, and how.

    `mu` is the bound on sensitivity over noise of one step where steps were watched, else None.
    """

    kind: Kind
    trainer: str
    parameters: Mapping[str, Any]
    claim: Claim
    bound: Bound
    counts: GuessCounts
    trainings: int
    seed: int
    versions: Mapping[str, str]
    stands_for: str = ""
    mu: float | None = None

    def __post_init__(self) -> None:
        choice("kind of canary audit", self.kind, ("one run", "white box"))
        for name in ("trainer", "stands_for"):
            text(name, getattr(self, name))
        for name in ("parameters", "versions"):
            mapping(name, getattr(self, name))
        instance("claim", self.claim, Claim)
        instance("bound", self.bound, Bound)
        instance("counts", self.counts, GuessCounts)
        whole("trainings", self.trainings, 1)
        whole("seed", self.seed, 0)
        if self.mu is not None:
            real("mu", self.mu, 0, inf, closed_low=True)

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted.

        What a white-box bound takes for granted is what the claim itself was accounted for: Gaussian noise in every
        step, and records that join at the stated rate.
        """
        return self.bound.epsilon > self.claim.epsilon
