"""Turn an attack that replaces rows into one that adds or removes them."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import name_of
from mlaudit.protocols import Attack, ChangesRows, Mechanism, Observes
from mlaudit.types.arrays import IntArray
from mlaudit.types.checks import choice, function
from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import add_rows, remove_rows
from mlaudit.types.matching import find_changes
from mlaudit.types.pair import Pair

CHANGES = ("replace", "add", "remove")


@dataclass(frozen=True)
class Added:
    """Append the rows that the attack would put in place of others; x* is the first of them.

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
        """The name in results."""
        return f"{name_of(self.attack)}, added"

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows added."""
        pair = self.attack(mechanism, data, rows, rng)
        at = changed_rows(pair)
        X, labels = pair.neighbour.X[at], None if pair.neighbour.y is None else pair.neighbour.y[at]
        return Pair(data, add_rows(data, [len(data)] * len(at), X, labels), target=X[0])

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism with the summary τ that the attack observes."""
        return observe_as(self.attack, mechanism)


@dataclass(frozen=True)
class Removed:
    """Remove the rows that the attack would replace; x* is the first of them.

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
        """The name in results."""
        return f"{name_of(self.attack)}, removed"

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows removed."""
        at = changed_rows(self.attack(mechanism, data, rows, rng))
        return Pair(data, remove_rows(data, at), target=data.X[at[0]])

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism with the summary τ that the attack observes."""
        return observe_as(self.attack, mechanism)


def changed_rows(pair: Pair) -> IntArray:
    """The positions at which the two sides of a replacement differ."""
    if len(pair.base) != len(pair.neighbour):
        raise InvalidInput(
            "adding or removing rows needs an attack that replaces rows, got an attack that adds or removes rows "
            "itself"
        )
    return np.array([change.base for change in find_changes(pair.base, pair.neighbour)], dtype=np.int64)


def observe_as(attack: Attack, mechanism: Mechanism) -> Mechanism:
    """The mechanism with the summary τ that the attack observes: some attacks observe a prediction only."""
    return attack.observe(mechanism) if isinstance(attack, Observes) else mechanism


def with_change(attack: Attack, change: str) -> Attack:
    """The attack with its rows replaced, added or removed; one that does so already stays as it is."""
    choice("change", change, CHANGES)
    if change != "replace" and isinstance(attack, ChangesRows):  # as a search does
        return attack.with_change(change)
    wrapper = {"replace": None, "add": Added, "remove": Removed}[change]
    return attack if wrapper is None or isinstance(attack, wrapper) else wrapper(attack)
