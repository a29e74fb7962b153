"""The candidates of an audit: the given pair, the pairs that attacks make of D, and those that a search finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import SeedSequence, default_rng

from mlaudit.attacks._changes import observe_as
from mlaudit.attacks._whole_units import extend_to_units
from mlaudit.attacks.search import Search
from mlaudit.attacks.tight import Tight
from mlaudit.drawing.pilots import Pilots
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.describe import name_of
from mlaudit.protocols import Attack, Mechanism
from mlaudit.search.candidate import Candidate
from mlaudit.search.limits import Ceiling
from mlaudit.search.run import find_finalists
from mlaudit.search.worst import Worst
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair
from mlaudit.types.traits import traits_of

_ATTACK_SEED = 0xA77AC


@dataclass(frozen=True, eq=False)
class CandidateSet:
    """The candidates of an audit, the search that found them, if any, and what to note about it."""

    candidates: list[Candidate]
    search: Search | None = None
    notes: tuple[str, ...] = ()


def default_attacks(
    mechanism: Mechanism, data: object | None, relation: Relation = Relation.REPLACE_ONE
) -> tuple[Attack, ...]:
    """The attacks to try if none is named.

    These are the mechanism's own attacks; if it has none, a search; without data, the pair that it names itself.
    """
    if data is None:
        return (Tight(),)
    # A mechanism's own attacks were not made for crafted data, and replace rows; a search changes what is claimed.
    made_for = isinstance(data, Dataset) and relation in (Relation.REPLACE_ONE, Relation.ADD_REMOVE)
    own = traits_of(mechanism).attacks if made_for else ()
    return own or (Search(),)


def collect_candidates(  # noqa: PLR0913 - what an audit is given
    mechanism: Mechanism,
    data: Dataset | Worst | None,
    pair: Pair | None,
    attack: Attack | Sequence[Attack] | None,
    rows: tuple[int, ...],
    claim: Claim,
    trainings: int,
    sampler: str,
    pilots: Pilots,
    *,
    ceiling: Ceiling | None = None,
) -> CandidateSet:
    """Collect every candidate. A search draws its pilots here.

    Raises:
        InvalidInput: If the parts do not go together, or an attack makes no legal pair.
    """
    if pair is None and attack is None:
        attack = default_attacks(mechanism, data, claim.relation)
    attacks = tuple(attack) if isinstance(attack, Sequence) else () if attack is None else (attack,)
    searches = [one for one in attacks if isinstance(one, Search)]
    others = [one for one in attacks if not isinstance(one, Search)]
    if isinstance(data, Worst) and (others or not searches or pair is not None):
        raise InvalidInput("--data worst uses the search, got another attack or a pair; leave those out")
    if not searches or pair is not None or data is None or not rows:
        plain = None if isinstance(data, Worst) else data
        return CandidateSet(make_candidates(mechanism, plain, pair, attack, rows, pilots.seed))
    if len(searches) > 1:
        raise InvalidInput(f"give the attack search only once, got it {len(searches)} times; leave the others out")
    found, note = find_finalists(mechanism, data, claim, searches[0], rows, trainings, pilots, sampler, ceiling)
    if others and not isinstance(data, Worst):
        found = [*make_candidates(mechanism, data, None, others, rows, pilots.seed), *found]
    return CandidateSet(found, searches[0], (note,))


def make_candidates(
    mechanism: Mechanism,
    data: Dataset | None,
    pair: Pair | None,
    attack: Attack | Sequence[Attack] | None,
    rows: tuple[int, ...],
    seed: int,
) -> list[Candidate]:
    """Make a candidate of the given pair, or one for each attack and number of rows k.

    The domain is the one that the mechanism fixes on D.

    Raises:
        InvalidInput: If the parts do not go together, or an attack makes no legal pair.
    """
    if pair is not None:
        if data is not None or attack is not None:
            raise InvalidInput("give either a pair, or data and an attack, got both")
        domain = mechanism.domain(pair.base)
        return [Candidate("given", Pair(pair.base.within(domain), pair.neighbour, pair.target), mechanism)]
    if attack is None:
        attack = default_attacks(mechanism, data)
    attacks = tuple(attack) if isinstance(attack, Sequence) else (attack,)
    if not attacks or not rows:
        raise InvalidInput("an audit needs at least one attack and one number of rows, got none")
    if data is None and not all(isinstance(a, Tight) for a in attacks):
        raise InvalidInput("an attack needs data to change, got none; give data, or leave the attack out")
    # Fixed here, once, on D: an attack cannot widen the domain that the learner was configured with.
    base = data if data is None else data.within(mechanism.domain(data))
    pairs = [(a, _make_pair(a, mechanism, base, k, seed)) for a in attacks for k in rows]
    return [Candidate(name_of(a), pair, observe_as(a, mechanism)) for a, pair in pairs]


def _make_pair(attack: Attack, mechanism: Mechanism, data: Dataset | None, rows: int, seed: int) -> Pair:
    """Make the attack's pair, and check that it keeps D and changes exactly as many rows as it was asked to."""
    # The same seed for every number of rows: then x* is the same, and so are the trainings on D.
    rng = default_rng(SeedSequence(seed, spawn_key=(_ATTACK_SEED,)))
    name = name_of(attack)
    try:
        pair = attack(mechanism, data, rows, rng)  # type: ignore[arg-type]  # only `tight` is called without data
    except (AuditError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InvalidInput(
            f"{name} must make a pair, got {type(error).__name__}: {error}; try `mlaudit check`"
        ) from error
    if not isinstance(pair, Pair):
        raise InvalidInput(f"{name} must return a Pair, got {type(pair).__name__}; try `mlaudit check`")
    pair = pair if data is None or data.units is None else extend_to_units(pair, data)
    if data is not None and data.digest not in (pair.base.digest, pair.neighbour.digest):
        raise InvalidInput(f"{name} must keep D as one side of the pair, got a pair without it")
    if pair.rows != rows:
        what = "rows" if pair.base.units is None else "units"
        raise InvalidInput(f"{name} was asked to change {rows} {what}, got {pair.rows} changed; ask for fewer rows")
    # A dataset that the attack built itself has no domain of its own: the one fixed on D is checked here.
    return pair if data is None else Pair(pair.base.within(data.domain), pair.neighbour, pair.target)
