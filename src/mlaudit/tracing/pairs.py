"""The pairs that a trace tries: those of a scan, of a search on the data, and of crafted data, in turn."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest

from numpy.random import SeedSequence, default_rng

from mlaudit.attacks.tight import HasTightPair
from mlaudit.errors import AuditError
from mlaudit.protocols import Mechanism
from mlaudit.scanning.neighbours import Neighbour, neighbours
from mlaudit.search.crafting import craft_moves, plain_name
from mlaudit.search.move import Move, Setting, make_pair
from mlaudit.search.pool import pool_moves
from mlaudit.search.worst import Worst
from mlaudit.tracing.training import identify_data
from mlaudit.types.changes import ONE_STEP
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.coverage import check_covered
from mlaudit.types.dataset import Dataset
from mlaudit.types.matching import find_changes
from mlaudit.types.pair import Pair
from mlaudit.types.traits import traits_of

_SEED = 0x7ACE
_MOST_MOVES = 20  # moves that are asked for each pair that is wanted: some of them refuse
OWN = "the pair that the learner names"


def gather_pairs(
    mechanism: Mechanism, data: Dataset | None, worst: Worst | None, claim: Claim, most: int, seed: int
) -> tuple[Neighbour, ...]:
    """Pairs one step apart under the claimed relation, as legal as those of a scan and of a search.

    Args:
        mechanism: The learner, with the domain that data may lie in.
        data: D, or None.
        worst: Which data may be crafted, or None for none.
        claim: The claim.
        most: The most pairs.
        seed: Seed of the search's own choices.

    Returns:
        The pairs, none twice. Every source gives its most promising pair first, so that few pairs see all of them.

    Example:
        >>> from mlaudit.mechanisms.laplace import Laplace
        >>> made = gather_pairs(Laplace(), None, Worst(), Claim(1.0), 3, 0)
        >>> len(made), made[0].change
        (3, 'the pair that the learner names')
    """
    rng = default_rng(SeedSequence(seed, spawn_key=(_SEED,)))
    changes = ONE_STEP[claim.relation]
    parts: list[Iterator[Neighbour]] = []
    if data is not None:
        base = data.within(mechanism.domain(data))
        check_covered(claim.relation, base)
        parts.append(_of_scan(base, claim.relation))
        setting = Setting(mechanism, base, changes, rng)
        parts.append(_of_moves(pool_moves(setting), claim.relation, most))
    if worst is not None:
        parts.append(_of_moves(craft_moves(mechanism, worst, changes, rng), claim.relation, most))
    own = _name_own(mechanism, claim.relation)
    needs_target = traits_of(mechanism).uses_target
    found: dict[tuple[str, str], Neighbour] = {}
    for one in chain(own, _take_in_turn(parts)):
        found.setdefault((identify_data(one.pair.base), identify_data(one.pair.neighbour)), one)
        if len(found) == most:
            break
    return tuple(_add_target(one) if needs_target else one for one in found.values())


def _name_own(mechanism: Mechanism, relation: Relation) -> Iterator[Neighbour]:
    if isinstance(mechanism, HasTightPair):
        named = mechanism.tight_pair(1)
        pair = Pair(named.base.within(mechanism.domain(named.base)), named.neighbour, named.target)
        if _count_steps(pair, relation) == 1:
            yield Neighbour(OWN, pair)


def _of_scan(data: Dataset, relation: Relation) -> Iterator[Neighbour]:
    return (one for one in neighbours(data, relation) if _count_steps(one.pair, relation) == 1)


def _of_moves(moves: Iterable[Move], relation: Relation, most: int) -> Iterator[Neighbour]:
    for move in islice(moves, _MOST_MOVES * most):
        pair = make_pair(move, 1, relation, 1)
        if pair is not None:
            yield Neighbour(plain_name(move.name), pair)


def _count_steps(pair: Pair, relation: Relation) -> int:
    """The steps between the sides; 0 if the relation says nothing about them."""
    try:
        return pair.steps(relation)
    except AuditError:
        return 0


def _take_in_turn(parts: Iterable[Iterator[Neighbour]]) -> Iterator[Neighbour]:
    return (one for one in chain.from_iterable(zip_longest(*parts)) if one is not None)


def _add_target(one: Neighbour) -> Neighbour:
    """Summaries that depend on x* look at the row that changed."""
    pair = one.pair
    if pair.target is not None:
        return one
    change = find_changes(pair.base, pair.neighbour)[0]
    row = pair.base.X[change.base] if change.neighbour is None else pair.neighbour.X[change.neighbour]
    return Neighbour(one.change, Pair(pair.base, pair.neighbour, row))
