"""Turning an attack that replaces rows into one that adds or removes them."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.random import Generator

from mlaudit.describe import name_of
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Attack, Mechanism
from mlaudit.types.arrays import IntArray
from mlaudit.types.checks import choice, function
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

CHANGES = ("replace", "add", "remove")


@dataclass(frozen=True)
class Added:
    """D′ is D and, behind its last row, the rows that the attack would have put in place of others; x* is theirs.

    >>> from mlaudit.attacks.far_corner import FarCorner
    >>> data = Dataset([[0.0], [1.0], [0.5]])
    >>> Added(FarCorner())(None, data, 2, np.random.default_rng(0)).neighbour.X.ravel().tolist()
    [0.0, 1.0, 0.5, 1.0, 1.0]
    """

    attack: Attack

    def __post_init__(self) -> None:
        function("attack", self.attack, "a function of (mechanism, data, rows, rng)")

    @property
    def __name__(self) -> str:
        """What results call it."""
        return f"{name_of(self.attack)}, added"

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows more."""
        pair = self.attack(mechanism, data, rows, rng)
        at = changed_rows(pair)
        X = np.vstack([data.X, pair.neighbour.X[at]])
        y = None if data.y is None or pair.neighbour.y is None else np.concatenate([data.y, pair.neighbour.y[at]])
        return Pair(data, data.with_rows(X, y), target=pair.neighbour.X[at[0]])

    def watch(self, mechanism: Mechanism) -> Mechanism:
        """The learner as the attack sees it."""
        return watched(self.attack, mechanism)


@dataclass(frozen=True)
class Removed:
    """D′ is D without the rows that the attack would have replaced; x* is the first of them.

    >>> from mlaudit.attacks.far_corner import FarCorner
    >>> data = Dataset([[0.0], [1.0], [0.5]])
    >>> Removed(FarCorner())(None, data, 2, np.random.default_rng(0)).neighbour.X.ravel().tolist()
    [1.0]
    """

    attack: Attack

    def __post_init__(self) -> None:
        function("attack", self.attack, "a function of (mechanism, data, rows, rng)")

    @property
    def __name__(self) -> str:
        """What results call it."""
        return f"{name_of(self.attack)}, removed"

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows less."""
        at = changed_rows(self.attack(mechanism, data, rows, rng))
        if len(at) == len(data):
            raise InvalidInput(f"a dataset needs at least one row, got {rows} to remove of {len(data)}")
        kept = np.setdiff1d(np.arange(len(data)), at)
        y = None if data.y is None else data.y[kept]
        return Pair(data, data.with_rows(data.X[kept], y), target=data.X[at[0]])

    def watch(self, mechanism: Mechanism) -> Mechanism:
        """The learner as the attack sees it."""
        return watched(self.attack, mechanism)


def changed_rows(pair: Pair) -> IntArray:
    """Where the two sides of a replacement differ."""
    if len(pair.base) != len(pair.neighbour):
        raise InvalidInput(
            "rows can be added or removed in place of a replacement, got an attack that does so itself"
        )
    differ = (pair.base.X != pair.neighbour.X).any(axis=1)
    if pair.base.y is not None and pair.neighbour.y is not None:
        differ |= pair.base.y != pair.neighbour.y
    return np.flatnonzero(differ)


def watched(attack: Attack, mechanism: Mechanism) -> Mechanism:
    """The mechanism as the attack looks at it: some see a prediction only, whatever τ the mechanism has."""
    watch = getattr(attack, "watch", None)
    return mechanism if watch is None else cast(Mechanism, watch(mechanism))


def changing(attack: Attack, change: str) -> Attack:
    """The attack, with its rows replaced, added or removed; one that does so already stays as it is."""
    choice("change", change, CHANGES)
    own = getattr(attack, "changing", None)  # a search makes rows less and more by itself
    if change != "replace" and own is not None:
        return cast(Attack, own(change))
    wrapper = {"replace": None, "add": Added, "remove": Removed}[change]
    return attack if wrapper is None or isinstance(attack, wrapper) else wrapper(attack)
