"""Every attack that ships and applies, the mechanism's own first, with rows replaced, added or removed."""

from collections.abc import Iterator

from numpy.random import default_rng

from mlaudit.attacks._changes import with_change
from mlaudit.attacks._whole_units import extend_to_units
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import name_of
from mlaudit.naming.plugins import load_shipped, shipped
from mlaudit.protocols import Attack
from mlaudit.search.move import Move, Setting
from mlaudit.types.pair import Pair
from mlaudit.types.traits import traits_of

_NOT = ("search", "tight")  # itself, and the one that needs no data


def shipped_attacks(setting: Setting) -> Iterator[Move]:
    """Yield the attacks as moves. Those that observe less than the whole summary τ are left out: τ shows as much."""
    own = traits_of(setting.mechanism).attacks
    # An ablation, and slow to make: last.
    listed = sorted(shipped("attacks"), key=lambda name: name == "coefficient")
    others = [load_shipped("attacks", name)() for name in listed if name not in _NOT]
    known = {name_of(attack) for attack in own}
    attacks = [*own, *(attack for attack in others if name_of(attack) not in known)]
    seed = int(setting.rng.integers(2**32))
    for attack in attacks:
        if not hasattr(attack, "observe") and name_of(attack) not in _NOT:
            for change in setting.changes:
                yield _move_of(setting, with_change(attack, change), seed)


def _move_of(setting: Setting, attack: Attack, seed: int) -> Move:
    def make(rows: int) -> Pair:
        try:
            # The same for every number of rows: then x* is the same, and so is D's stream.
            pair = attack(setting.mechanism, setting.data, rows, default_rng(seed))
            return extend_to_units(pair, setting.data)
        except InvalidInput:
            raise
        except Exception as error:
            raise InvalidInput(f"{name_of(attack)} does not apply here: {error}") from error

    return Move(name_of(attack), make)
