"""The neighbours that a search adds to those a scan looks at anyway."""

from collections.abc import Iterable
from typing import NamedTuple

from mlaudit.errors import AuditError
from mlaudit.protocols import Mechanism
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.searching.pilots import Pilots
from mlaudit.searching.running import best_moves
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


class Searched(NamedTuple):
    """The neighbours that were found, and a sentence for each search that could not be done."""

    neighbours: tuple[Neighbour, ...] = ()
    notes: tuple[str, ...] = ()


def searched_neighbours(
    mechanism: Mechanism, data: Dataset, known: Iterable[Neighbour], budget: int, pilots: Pilots
) -> Searched:
    """For a learner without attacks of its own: under either relation the row that moves its summary most.

    A learner whose summary cannot be had is scanned without, and a note says so.
    """
    if getattr(mechanism, "attacks", ()):
        return Searched()
    seen = {(one.pair.base.digest, one.pair.neighbour.digest) for one in known}
    found, notes = [], []
    for relation, change in ((Relation.REPLACE_ONE, "replace"), (Relation.ADD_REMOVE, "add")):
        try:
            best = best_moves(mechanism, data, relation, (1,), budget, pilots.seed, change=change, pilots=pilots)
        except AuditError as error:
            why = " ".join(str(error).split())
            notes.append(f"no neighbour was searched for under {relation.value}, since the search failed: {why}")
            continue
        fresh = (entry for entry in best.entries if entry.score > 0 and _key(entry.pair) not in seen)
        found += [Neighbour(f"by search: {entry.move.name}", _as_scanned(entry.pair)) for entry in list(fresh)[:1]]
    return Searched(tuple(found), tuple(notes))


def _key(pair: Pair) -> tuple[str, str]:
    return pair.base.digest, pair.neighbour.digest


def _as_scanned(pair: Pair) -> Pair:
    """Without a target: a scan asks the same of every neighbour."""
    return Pair(pair.base, pair.neighbour)
