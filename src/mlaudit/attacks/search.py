"""Search the domain for the neighbour that moves the output most, in units of its noise; for any learner."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.changes import CHANGES, RELATION_OF
from mlaudit.types.checks import choice, real
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.outside import OUTSIDE
from mlaudit.types.pair import Pair

_ALONE = 60  # pilots of a search outside an audit


@dataclass(frozen=True)
class Search:
    """Try candidates of every kind, and halve their number repeatedly on pilots, which no bound counts.

    Args:
        share: Share of the audit's trainings that are pilots. About half of them screen all candidates; the others
            choose among the finalists and the numbers of rows.
        change: "replace", "add", "remove", "relabel" or "zero" restricts the search to such rows; "" allows all that
            the claim covers.
        outside: Also try rows outside the declared domain, if the learner is documented to clip them: "finite"
            numbers, or "any", which also allows NaN, infinities and -0.0. "" keeps all rows inside.

    Raises:
        InvalidInput: If the share is not between 0 and 1, or the change or the rows outside are unknown.

    Example:
        >>> from mlaudit import Box, Claim, Dataset, audit
        >>> data = Dataset([0.0, 0.5, 1.0], domain=Box(0.0, 1.0))
        >>> too_little_noise = lambda data, rng: data.X.sum() + rng.laplace(scale=0.1)
        >>> audit(too_little_noise, data, claim=Claim(1.0), attack=Search(), rows=1, trainings=400).violated
        True
        >>> Search(share=1.5)
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: share must be a number in (0, 1), got 1.5
    """

    share: float = 0.2
    change: str = ""
    outside: str = ""

    def __post_init__(self) -> None:
        real("share", self.share, 0, 1)
        if not isinstance(self.change, str) or self.change:
            choice("change", self.change, CHANGES)
        if not isinstance(self.outside, str) or self.outside:
            choice("outside", self.outside, OUTSIDE)

    def with_change(self, change: str) -> "Search":
        """The same search, restricted to one `change` of rows: "replace", "add", "remove", "relabel" or "zero".

        Raises:
            InvalidInput: If there is no such change.
        """
        return replace(self, change=change)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with some rows changed: the change that shifts the output most in a few pilots.

        Args:
            mechanism: The mechanism that is searched.
            data: The dataset D.
            rows: The number of rows to change.
            rng: The generator that the seed of the pilots is drawn from.

        Returns:
            D and the best D′ that was found.

        Raises:
            InvalidInput: If D has fewer rows that can be changed.
        """
        from mlaudit.search.run import search_neighbours  # noqa: PLC0415 - the search tries every attack, this one too

        relation = RELATION_OF.get(self.change, Relation.REPLACE_ONE)
        seed = int(rng.integers(2**32))
        found = search_neighbours(mechanism, data, relation, (rows,), _ALONE, seed, search=self)
        if not found.candidates:
            raise InvalidInput(f"there must be {rows} rows that a search can change, got fewer; ask for fewer rows")
        return found.candidates[0].pair
