"""Turn an attack that replaces rows into one that adds, removes, relabels or zeroes them."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import name_of
from mlaudit.protocols import Attack, ChangesRows, Mechanism, Observes
from mlaudit.types.arrays import IntArray
from mlaudit.types.changes import CHANGES
from mlaudit.types.checks import choice, function
from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import (
    add_rows,
    first_rows,
    mark_whole_units,
    relabel_rows,
    remove_rows,
    replace_rows,
)
from mlaudit.types.matching import differ_in_bytes, find_unequal_rows, is_aligned
from mlaudit.types.pair import Pair
from mlaudit.types.zeroing import is_null


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


@dataclass(frozen=True)
class Relabelled:
    """Give the rows that the attack would replace its labels, and keep their features; x* is the first of them.

    >>> from mlaudit.attacks.prior_flip import PriorFlip
    >>> data = Dataset([[0.0], [1.0], [0.5]], y=[0, 1, 1])
    >>> pair = Relabelled(PriorFlip())(None, data, 1, np.random.default_rng(0))
    >>> pair.neighbour.X.ravel().tolist(), pair.neighbour.y.tolist()
    ([0.0, 1.0, 0.5], [1, 1, 1])
    """

    attack: Attack

    def __post_init__(self) -> None:
        function("attack", self.attack, "a function of (mechanism, data, rows, rng)")

    @property
    def __name__(self) -> str:
        """The name in results."""
        return f"{name_of(self.attack)}, labels only"

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` labels changed."""
        pair = self.attack(mechanism, data, rows, rng)
        changed, labels = changed_rows(pair), pair.neighbour.y
        other = np.zeros(len(data), dtype=bool) if labels is None or data.y is None else labels != data.y
        at = first_rows(data, np.flatnonzero(other))
        if labels is None or len(at) < len(changed):
            raise InvalidInput(
                f"under label-only an attack changes labels, got {name_of(self.attack)}, which keeps some; use "
                "--attack search"
            )
        return Pair(data, relabel_rows(data, at, labels[at]), target=data.X[at[0]])

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism with the summary τ that the attack observes."""
        return observe_as(self.attack, mechanism)


@dataclass(frozen=True)
class Zeroed:
    """Zero the rows that the attack would replace; rows of zeros get its features instead. All keep their labels.

    >>> from mlaudit.attacks.far_corner import FarCorner
    >>> data = Dataset([[0.0], [1.0], [0.5]])
    >>> Zeroed(FarCorner())(None, data, 2, np.random.default_rng(0)).neighbour.X.ravel().tolist()
    [1.0, 1.0, 0.0]
    """

    attack: Attack

    def __post_init__(self) -> None:
        function("attack", self.attack, "a function of (mechanism, data, rows, rng)")

    @property
    def __name__(self) -> str:
        """The name in results."""
        return f"{name_of(self.attack)}, zeroed"

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows zeroed, or put in place of zeros."""
        pair = self.attack(mechanism, data, rows, rng)
        at = changed_rows(pair)
        null = mark_whole_units(data, is_null(data.X, data.domain))[at]
        X = np.where(null[:, None], pair.neighbour.X[at], 0.0)
        zeroed = replace_rows(data, at, X)
        if len(first_rows(data, np.flatnonzero(differ_in_bytes(data.X, zeroed.X)))) < len(at):
            raise InvalidInput(
                f"under zero-out rows become zeros or were zeros, got {name_of(self.attack)}, which only relabels a "
                "row of zeros; use --attack search"
            )
        return Pair(data, zeroed, target=X[0] if null[0] else data.X[at[0]])

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism with the summary τ that the attack observes."""
        return observe_as(self.attack, mechanism)


_WRAPPERS = {"add": Added, "remove": Removed, "relabel": Relabelled, "zero": Zeroed}


def changed_rows(pair: Pair) -> IntArray:
    """The positions at which the two sides of a replacement differ; with units, the first of each unit."""
    if not is_aligned(pair.base, pair.neighbour):
        raise InvalidInput(
            "adding or removing rows needs an attack that replaces rows, got an attack that adds or removes rows "
            "itself"
        )
    return first_rows(pair.base, np.flatnonzero(find_unequal_rows(pair.base, pair.neighbour)))


def observe_as(attack: Attack, mechanism: Mechanism) -> Mechanism:
    """The mechanism with the summary τ that the attack observes: some attacks observe a prediction only."""
    return attack.observe(mechanism) if isinstance(attack, Observes) else mechanism


def without_change(attack: Attack) -> Attack:
    """The attack that replaces rows, of one that adds, removes, relabels or zeroes them."""
    return attack.attack if isinstance(attack, Added | Removed | Relabelled | Zeroed) else attack


def with_change(attack: Attack, change: str) -> Attack:
    """The attack with its rows replaced, added, removed, relabelled or zeroed; one that does so already stays."""
    choice("change", change, CHANGES)
    if change != "replace" and isinstance(attack, ChangesRows):  # as a search does
        return attack.with_change(change)
    wrapper = _WRAPPERS.get(change)
    return attack if wrapper is None or isinstance(attack, wrapper) else wrapper(attack)
