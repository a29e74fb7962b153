"""A way to make D′ from D, for any number of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True, eq=False)
class Move:
    """`make(rows)` changes that many rows of D, or refuses.

    Where the move puts rows at a point x*, `at` is that point and `elsewhere` the same move with another: what an
    ascent climbs on.
    """

    name: str
    make: Callable[[int], Pair]
    at: FloatArray | None = None
    elsewhere: Callable[[FloatArray], "Move"] | None = None


@dataclass(frozen=True, eq=False)
class Setting:
    """What a family of moves may look at: never a training that counts."""

    mechanism: Mechanism
    data: Dataset
    changes: tuple[str, ...]
    rng: Generator


class Family(Protocol):
    """Yields its most promising moves first; a search takes as many as it can pay for."""

    def __call__(self, setting: Setting) -> Iterator[Move]:
        """Moves of one kind on the setting's D."""


def changes_under(relation: Relation, asked: str = "") -> tuple[str, ...]:
    """What may be done to rows under a relation: add-remove also speaks of a replaced row, as of two steps.

    >>> changes_under(Relation.REPLACE_ONE), changes_under(Relation.ADD_REMOVE, "add")
    (('replace',), ('add',))
    """
    if relation is Relation.REPLACE_ONE and asked in ("add", "remove"):
        raise InvalidInput(
            f"under replace-one both datasets need the same size, got a search that may only {asked} rows; claim "
            "add-remove or replace rows instead"
        )
    usual = ("replace",) if relation is Relation.REPLACE_ONE else ("add", "remove", "replace")
    return (asked,) if asked else usual


def made(move: Move, rows: int, relation: Relation) -> Pair | None:
    """The move's pair if there is a legal one that changes exactly so many rows; None where the move refuses."""
    try:
        pair = move.make(rows)
        pair.steps(relation)
    except InvalidInput:
        return None
    return pair if pair.rows == rows else None
