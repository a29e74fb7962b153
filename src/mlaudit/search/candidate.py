"""A candidate: a pair (D, D′) that could be audited."""

from dataclasses import dataclass

from mlaudit.protocols import Mechanism
from mlaudit.search.move import Move
from mlaudit.types.pair import Pair


@dataclass(frozen=True, eq=False)
class Candidate:
    """A pair that could be audited, and how its trainings are drawn.

    Attributes:
        attack: Name of the attack or move that made the pair.
        pair: D and D′.
        mechanism: The mechanism as the attack observes it.
        move: Makes the pair again, with another number of rows or another x*; None for an attack's pair.
        score: Shift of the summary τ per step, in units of its noise, as far as pilots have measured it.
    """

    attack: str
    pair: Pair
    mechanism: Mechanism
    move: Move | None = None
    score: float = 0.0

    @property
    def digests(self) -> tuple[str, str]:
        """Hashes of D and D′: equal ones mean the same pair."""
        return self.pair.base.digest, self.pair.neighbour.digest
