"""A move: a way to make D′ from D, for any number of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Protocol

from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.changes import ONE_STEP
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True, eq=False)
class Move:
    """A way to make D′ from D.

    Attributes:
        name: The move in words.
        make: Changes so many rows k of D and returns the pair, or raises InvalidInput.
        at: The point x* to which the move puts rows, if it does.
        elsewhere: The same move with another x*: an ascent uses it.
    """

    name: str
    make: Callable[[int], Pair]
    at: FloatArray | None = None
    elsewhere: Callable[[FloatArray], "Move"] | None = None


@dataclass(frozen=True, eq=False)
class Setting:
    """What a family of moves may use: the mechanism, D, the allowed changes and a generator; never a training."""

    mechanism: Mechanism
    data: Dataset
    changes: tuple[str, ...]
    rng: Generator


class Family(Protocol):
    """A family of moves. It yields its most promising moves first; a search takes as many as it can pay for."""

    def __call__(self, setting: Setting) -> Iterator[Move]:
        """Moves of one kind on the setting's D."""


def changes_under(relation: Relation, asked: str = "") -> tuple[str, ...]:
    """The changes of rows that a search tries under a relation; under add-remove a replaced row counts as two steps.

    >>> changes_under(Relation.REPLACE_ONE), changes_under(Relation.ADD_REMOVE, "add")
    (('replace',), ('add',))
    """
    if relation is Relation.LABEL_ONLY and asked not in ("", "replace", "relabel"):
        raise InvalidInput(
            f"under label-only only labels differ, got a search that may only {asked} rows; leave the change out"
        )
    if relation is not Relation.ADD_REMOVE and asked in ("add", "remove"):
        raise InvalidInput(
            f"under {relation.value} both datasets need the same size, got a search that may only {asked} rows; "
            "claim add-remove or replace rows instead"
        )
    if not asked or relation is Relation.LABEL_ONLY:
        return ("add", "remove", "replace") if relation is Relation.ADD_REMOVE else ONE_STEP[relation]
    return (asked,)


def make_pair(move: Move, rows: int, relation: Relation, most_steps: float = inf) -> Pair | None:
    """Make the move's pair.

    Returns:
        The pair; None if the move refuses, the pair does not differ in exactly `rows` rows, or it is too many steps
        apart.
    """
    try:
        pair = move.make(rows)
        few = pair.steps(relation) <= most_steps
    except InvalidInput:
        return None
    return pair if few and pair.rows == rows else None
