"""The pool of candidates: families found by file, taken in turn."""

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest

from mlaudit.plugins import load_shipped, names
from mlaudit.searching.move import Family, Move, Setting

FAMILIES = "searching.moves"


def pool(setting: Setting) -> Iterator[Move]:
    """The first move of every family, then the second of each: a small budget still sees something of all.

    >>> import numpy as np
    >>> from mlaudit.testing.attack import PlainLearner
    >>> from mlaudit.types.dataset import Dataset
    >>> setting = Setting(PlainLearner(), Dataset([0.0, 0.5, 1.0]), ("replace",), np.random.default_rng(0))
    >>> next(pool(setting)).name
    'the upper corner, in place of the farthest'
    """
    families: list[Family] = [load_shipped(FAMILIES, name) for name in names(FAMILIES)]
    return in_turn(family(setting) for family in families)


def in_turn(parts: Iterable[Iterator[Move]]) -> Iterator[Move]:
    """One of each, until all are empty."""
    missing = object()
    rounds = zip_longest(*parts, fillvalue=missing)
    return (move for move in chain.from_iterable(rounds) if isinstance(move, Move))
