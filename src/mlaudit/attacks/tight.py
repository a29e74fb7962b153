"""The worst pair a mechanism names itself, for mechanisms whose ε is known to be reached."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@runtime_checkable
class HasTightPair(Protocol):
    """A mechanism that names its worst pair."""

    def tight_pair(self, rows: int) -> Pair:
        """D and D′, `rows` steps apart, at which ε is reached."""


@dataclass(frozen=True)
class Tight:
    """Takes mechanism.tight_pair(rows); needs no data."""

    def __call__(self, mechanism: Mechanism, data: Dataset | None, rows: int, rng: Generator) -> Pair:
        """The mechanism's own pair, inside the mechanism's domain."""
        if not isinstance(mechanism, HasTightPair):
            raise InvalidInput(
                f"{mechanism_name(mechanism)} has no worst pair of its own: it needs data or a pair, got neither"
            )
        pair = mechanism.tight_pair(rows)
        base = replace(pair.base, domain=mechanism.domain(pair.base), name="its tight pair")
        return Pair(base, pair.neighbour, pair.target)
