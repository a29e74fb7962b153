"""One finding: a leak that refutes the claim, with its witness and its cause."""

from dataclasses import dataclass

from mlaudit.results.audit_result import AuditResult
from mlaudit.scanning.result import Leak
from mlaudit.scanning.standing import implied_epsilon
from mlaudit.types.checks import instance, several, text
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Refutation:
    """A leak that refutes the claim, repeated on fresh trainings.

    Args:
        detector: The detector that found it.
        place: The part of the output that reveals it, as in "class_count_" or "output[1]".
        cause: What differs between D and D′, in a sentence.
        witness: The audit, or the leak of a scan: D, D′, the bound and its repetition.
        left_out: The parts of the output that earlier findings are about, and that were left out here.
    """

    detector: str
    place: str
    cause: str
    witness: AuditResult | Leak
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("detector", "place", "cause"):
            text(name, getattr(self, name))
        instance("witness", self.witness, (AuditResult, Leak))
        parts = several("left_out", self.left_out, "texts")
        object.__setattr__(self, "left_out", tuple(text("a part", part) for part in parts))

    @property
    def pair(self) -> Pair:
        """D and D′."""
        return self.witness.pair if isinstance(self.witness, AuditResult) else self.witness.suspect.neighbour.pair

    @property
    def change(self) -> str:
        """How D′ was made of D."""
        return self.witness.attack if isinstance(self.witness, AuditResult) else self.witness.suspect.neighbour.change

    @property
    def bound(self) -> Bound:
        """The first bound, under the pair's own relation."""
        return self.witness.finding.bound if isinstance(self.witness, AuditResult) else self.witness.bound

    @property
    def repeated(self) -> Bound | None:
        """The bound on fresh trainings."""
        if isinstance(self.witness, Leak):
            return self.witness.repeated
        return None if self.witness.confirmation is None else self.witness.confirmation.bound

    @property
    def replayable(self) -> AuditResult | None:
        """The audit that `mlaudit replay` confirms; None for a scan, and where parts of the output were left out."""
        return self.witness if isinstance(self.witness, AuditResult) and not self.left_out else None

    def epsilon(self, claim: Claim) -> float:
        """The lower bound on the claimed ε that follows."""
        return self._under(claim, self.bound)

    def repeated_epsilon(self, claim: Claim) -> float | None:
        """The same on fresh trainings."""
        return None if self.repeated is None else self._under(claim, self.repeated)

    def _under(self, claim: Claim, bound: Bound) -> float:
        # An audit counts the steps of its pair under the claimed relation; a scan states the bound of the pair's own.
        is_audit = isinstance(self.witness, AuditResult)
        return bound.epsilon if is_audit else implied_epsilon(claim, self.pair.relation, bound)
