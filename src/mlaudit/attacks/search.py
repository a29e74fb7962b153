"""Search the domain for the neighbour that moves the output most, in units of its noise; for any learner."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.checks import choice, real
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_ALONE = 60  # pilots where nobody says what the audit may cost


@dataclass(frozen=True)
class Search:
    """Candidates of every kind, pruned by successive halving on pilots that never count.

    `share` of an audit's trainings are pilots: about half of them screen all candidates, the others choose among the
    finalists and the numbers of rows. `change` leaves only rows replaced, added or removed; without one the search
    does whatever the claim speaks of.

    >>> Search(share=1.5)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: share must be a number in (0, 1), got 1.5
    """

    share: float = 0.2
    change: str = ""

    def __post_init__(self) -> None:
        real("share", self.share, 0, 1)
        if not isinstance(self.change, str) or self.change:
            choice("change", self.change, ("replace", "add", "remove"))

    def changing(self, change: str) -> "Search":
        """The same search with rows changed in one way only."""
        return replace(self, change=change)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with the `rows` rows changed that moved the output most in a few pilots."""
        from mlaudit.searching.running import best_moves  # noqa: PLC0415 - it knows every attack, this one too

        relation = Relation.ADD_REMOVE if self.change in ("add", "remove") else Relation.REPLACE_ONE
        found = best_moves(mechanism, data, relation, (rows,), _ALONE, int(rng.integers(2**32)), change=self.change)
        if not found.entries:
            raise InvalidInput(f"there must be {rows} rows that a search can change, got fewer; ask for fewer rows")
        return found.entries[0].pair
