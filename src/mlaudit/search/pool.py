"""The pool of moves: families found by file, taken in turn."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, zip_longest

from mlaudit.naming.plugins import load_shipped, names
from mlaudit.search.move import Family, Move, Setting

FAMILIES = "search.moves"
# Unlike each other, so that a small budget sees as much as it can; all others come after these.
_FIRST_FAMILIES = ("corners", "label_flips", "half_way", "rows_less")
_ASKED = "beyond_bounds"  # has moves only if somebody asked for them: every second one


def pool_moves(setting: Setting) -> Iterator[Move]:
    """Yield the first move of every family, then the second of each: a small budget still tries every family.

    >>> import numpy as np
    >>> from mlaudit.testing.attack import PlainLearner
    >>> from mlaudit.types.dataset import Dataset
    >>> setting = Setting(PlainLearner(), Dataset([0.0, 0.5, 1.0]), ("replace",), np.random.default_rng(0))
    >>> next(pool_moves(setting)).name
    'the upper corner, in place of the farthest'
    """
    asked: Family = load_shipped(FAMILIES, _ASKED)
    return take_in_turn((asked(setting), take_in_turn(family(setting) for family in _load_families())))


@cache  # a search makes a pool for each of hundreds of crafted datasets
def _load_families() -> tuple[Family, ...]:
    """Every family but the one that must be asked for, in the order in which they take turns."""
    ordered = dict.fromkeys((*_FIRST_FAMILIES, *names(FAMILIES)))
    return tuple(load_shipped(FAMILIES, name) for name in ordered if name != _ASKED)


def take_in_turn(parts: Iterable[Iterator[Move]]) -> Iterator[Move]:
    """Yield one move of each part in turn, until all parts are empty."""
    missing = object()
    rounds = zip_longest(*parts, fillvalue=missing)
    return (move for move in chain.from_iterable(rounds) if isinstance(move, Move))
