"""Every attack that ships and applies, the mechanism's own first, with rows replaced, added or removed."""

from collections.abc import Iterator

from numpy.random import default_rng

from mlaudit.changes import changing
from mlaudit.describe import name_of
from mlaudit.errors import InvalidInput
from mlaudit.plugins import load_shipped, shipped
from mlaudit.protocols import Attack
from mlaudit.searching.move import Move, Setting
from mlaudit.types.pair import Pair

_NOT = ("search", "tight")  # itself, and the one that needs no data


def shipped_attacks(setting: Setting) -> Iterator[Move]:
    """Attacks that look at less than the whole summary are left out: what they see, the whole summary shows."""
    own = tuple(getattr(setting.mechanism, "attacks", ()))
    # An ablation, and slow to make: last.
    listed = sorted(shipped("attacks"), key=lambda name: name == "coefficient")
    others = [load_shipped("attacks", name)() for name in listed if name not in _NOT]
    known = {name_of(attack) for attack in own}
    attacks = [*own, *(attack for attack in others if name_of(attack) not in known)]
    seed = int(setting.rng.integers(2**32))
    for attack in attacks:
        if not hasattr(attack, "watch") and name_of(attack) not in _NOT:
            for change in setting.changes:
                yield _attacking(setting, changing(attack, change), seed)


def _attacking(setting: Setting, attack: Attack, seed: int) -> Move:
    def make(rows: int) -> Pair:
        try:
            # The same for every number of rows: then x* is the same, and so is D's arm.
            return attack(setting.mechanism, setting.data, rows, default_rng(seed))
        except InvalidInput:
            raise
        except Exception as error:
            raise InvalidInput(f"{name_of(attack)} does not apply here: {error}") from error

    return Move(name_of(attack), make)
