"""Neighbours that a search adds to those that every scan compares."""

from collections.abc import Iterable
from typing import NamedTuple

from mlaudit.attacks.search import Search
from mlaudit.drawing.pilots import Pilots
from mlaudit.errors import AuditError
from mlaudit.protocols import Mechanism
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.search.run import search_neighbours
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair
from mlaudit.types.traits import traits_of


class FoundNeighbours(NamedTuple):
    """The neighbours that were found, and a sentence for each search that failed."""

    neighbours: tuple[Neighbour, ...] = ()
    notes: tuple[str, ...] = ()


def search_worst_rows(
    mechanism: Mechanism,
    data: Dataset,
    known: Iterable[Neighbour],
    budget: int,
    pilots: Pilots,
    claimed: Relation = Relation.REPLACE_ONE,
) -> FoundNeighbours:
    """Search for the row that shifts the summary most, if the learner has no attacks.

    Rows are replaced and added; under label-only and zero-out only what the claim is about is changed.

    If the search fails, as for a learner without a summary, a note says so.
    """
    in_place = claimed in (Relation.LABEL_ONLY, Relation.ZERO_OUT)
    if traits_of(mechanism).attacks and not in_place:
        return FoundNeighbours()
    seen = {(one.pair.base.digest, one.pair.neighbour.digest) for one in known}
    found, notes = [], []
    searches = ((claimed, ""),) if in_place else ((Relation.REPLACE_ONE, "replace"), (Relation.ADD_REMOVE, "add"))
    for relation, change in searches:
        try:
            best = search_neighbours(
                mechanism, data, relation, (1,), budget, pilots.seed, search=Search(change=change), pilots=pilots
            )
        except AuditError as error:
            why = " ".join(str(error).split())
            notes.append(f"no neighbour was searched for under {relation.value}, since the search failed: {why}")
            continue
        fresh = [one for one in best.candidates if one.score > 0 and one.digests not in seen]
        found += [Neighbour(f"by search: {one.attack}", _without_target(one.pair)) for one in fresh[:1]]
    return FoundNeighbours(tuple(found), tuple(notes))


def _without_target(pair: Pair) -> Pair:
    """A scan reads the same attributes for every neighbour, whatever its x*."""
    return Pair(pair.base, pair.neighbour)
