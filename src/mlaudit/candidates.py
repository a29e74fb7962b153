"""The pairs that could be audited: the one given, or what attacks make of D; each is checked first."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import SeedSequence, default_rng

from mlaudit.attacks._auto import automatic
from mlaudit.attacks.tight import Tight
from mlaudit.changes import watched
from mlaudit.describe import name_of
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.protocols import Attack, Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_ATTACK_SEED = 0xA77AC


@dataclass(frozen=True)
class Candidate:
    """A pair, the attack that made it, and the mechanism as that attack looks at it."""

    attack: str
    pair: Pair
    mechanism: Mechanism


def candidates_for(
    mechanism: Mechanism,
    data: Dataset | None,
    pair: Pair | None,
    attack: Attack | Sequence[Attack] | None,
    rows: tuple[int, ...],
    seed: int,
) -> list[Candidate]:
    """The given pair, or one for each attack and number of rows, in the domain that the mechanism fixes on D."""
    if pair is not None:
        if data is not None or attack is not None:
            raise InvalidInput("give either a pair, or data and an attack, got both")
        domain = mechanism.domain(pair.base)
        return [Candidate("given", Pair(pair.base.within(domain), pair.neighbour, pair.target), mechanism)]
    if attack is None:
        attack = automatic(mechanism, data)
    attacks = tuple(attack) if isinstance(attack, Sequence) else (attack,)
    if not attacks or not rows:
        raise InvalidInput("an audit needs at least one attack and one number of rows, got none")
    if data is None and not all(isinstance(a, Tight) for a in attacks):
        raise InvalidInput("an attack needs data to change, got none; give data, or leave the attack out")
    # Fixed here, once, on D: an attack cannot widen what the learner was configured with.
    base = data if data is None else data.within(mechanism.domain(data))
    made = [(a, _attacked(a, mechanism, base, k, seed)) for a in attacks for k in rows]
    return [Candidate(name_of(a), pair, watched(a, mechanism)) for a, pair in made]


def _attacked(attack: Attack, mechanism: Mechanism, data: Dataset | None, rows: int, seed: int) -> Pair:
    """The attack's pair, checked: the D it was given, and exactly as many rows as it was asked for."""
    # The same for every number of rows: then x* is the same, and so is D's arm.
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
    if data is not None and data.digest not in (pair.base.digest, pair.neighbour.digest):
        raise InvalidInput(f"{name} must keep D as one side of the pair, got a pair without it")
    if pair.rows != rows:
        raise InvalidInput(f"{name} was asked to change {rows} rows, got {pair.rows} changed; ask for fewer rows")
    # A dataset the attack built itself has no domain of its own: the one fixed on D is checked here.
    return pair if data is None else Pair(pair.base.within(data.domain), pair.neighbour, pair.target)
