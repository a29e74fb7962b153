"""The pairs that could be audited: what attacks make, and what a search finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from mlaudit.attacks._auto import automatic
from mlaudit.attacks.search import Search
from mlaudit.candidates import Candidate, candidates_for
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Attack, Mechanism
from mlaudit.searching.pilots import Pilots
from mlaudit.searching.running import searched
from mlaudit.searching.worst import Worst
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True, eq=False)
class Gathered:
    """Candidates, how much of what is left their choice may cost, and what a search says of itself."""

    candidates: list[Candidate]
    search: Search | None = None
    notes: tuple[str, ...] = ()


def gathered(
    mechanism: Mechanism,
    data: Dataset | Worst | None,
    pair: Pair | None,
    attack: Attack | Sequence[Attack] | None,
    rows: tuple[int, ...],
    claim: Claim,
    trainings: int,
    sampler: str,
    pilots: Pilots,
) -> Gathered:
    """Every candidate; a search spends its pilots here."""
    if pair is None and attack is None:
        attack = automatic(mechanism, data)
    attacks = tuple(attack) if isinstance(attack, Sequence) else () if attack is None else (attack,)
    searches = [one for one in attacks if isinstance(one, Search)]
    others = [one for one in attacks if not isinstance(one, Search)]
    if isinstance(data, Worst) and (others or not searches or pair is not None):
        raise InvalidInput("the worst data are found by a search, got another attack or a pair; leave those out")
    if not searches or pair is not None or data is None or not rows:
        plain = None if isinstance(data, Worst) else data
        return Gathered(candidates_for(mechanism, plain, pair, attack, rows, pilots.seed))
    if len(searches) > 1:
        raise InvalidInput(f"one search is enough, got {len(searches)}; leave the others out")
    found, said = searched(mechanism, data, claim, searches[0], rows, trainings, pilots, sampler)
    if others and not isinstance(data, Worst):
        found = [*candidates_for(mechanism, data, None, others, rows, pilots.seed), *found]
    return Gathered(found, searches[0], (said,))
