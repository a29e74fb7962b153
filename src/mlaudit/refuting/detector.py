"""A detector: one way to look for evidence against a claim."""

from dataclasses import dataclass
from typing import Protocol

from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.subject import Subject
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.verdict import Verdict
from mlaudit.tracing.result import TraceResult

_SEARCHED = "the search tried"  # a note that says nothing about the learner


@dataclass(frozen=True, eq=False)
class Look:
    """What a detector saw.

    Args:
        verdict: Its verdict.
        epsilon_lower: The highest bound under the claimed relation.
        ceiling: The highest bound that it could have given.
        detectable: The smallest ε that it would have refuted with probability 90 %, if its pair shows it.
        looked_at: The attack and the data, in words.
        refutations: Every leak that refutes the claim.
        complete: Whether these are all leaks that it can find, so that a second look is of no use.
        notes: Sentences about the outputs.
        trace: The trace with the tests of its suspects; None for detectors that tested none.
        audit: The audit that it made, or None.
    """

    verdict: Verdict
    epsilon_lower: float
    ceiling: float
    detectable: float
    looked_at: str
    refutations: tuple[Refutation, ...] = ()
    complete: bool = False
    notes: tuple[str, ...] = ()
    trace: TraceResult | None = None
    audit: AuditResult | None = None


class Detector(Protocol):
    """A file of `refuting/detectors` holds one class of this kind, named like the file."""

    @property
    def rank(self) -> int:
        """Detectors of a low rank run first: they are cheap, or find most."""

    def obstacle(self, subject: Subject) -> str:
        """Why the detector cannot look at this subject; "" if it can. Nothing is drawn."""

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Look for evidence. A correct learner is refuted with probability at most alpha."""


def look_by_audit(detector: str, result: AuditResult) -> Look:
    """What an audit saw."""
    bound = result.finding.bound
    found = (Refutation(detector, "", "", result),) if result.violated else ()
    looked_at = f"{result.attack} on {result.provenance.dataset}"
    notes = tuple(note for note in result.provenance.notes if not note.startswith(_SEARCHED))
    return Look(
        result.verdict,
        bound.epsilon,
        bound.ceiling,
        result.detectable,
        looked_at,
        found,
        notes=notes,
        audit=result,
    )
