"""A learner of whose output only a part is looked at, so that one leak does not hide the next."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.drawing.outcome import RAISED, as_vector, observe
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.refuting.train import train_once
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import several, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.pair import Pair
from mlaudit.types.traits import Traits, traits_of

# A narrowed learner is drawn by its own fit: samplers return whole summaries.
_OWN = frozenset({"sample", "prepare", "kind", "seeded_as", "source_digest", "recipe", "death_summary"})
_LONGEST = 10**8  # numbers: an output is filled up to a length that a stranger's file may state
_TRIED = 3  # trainings of each side that show whether a pair makes the learner raise


@dataclass(frozen=True)
class Narrowing:
    """The part of the output that is left out.

    Leaving numbers out, and cutting the output to a length, are post-processing: a bound on the rest is a bound on
    the learner. An exception leaves no rest to look at. So pairs on which a known exception is raised are avoided.

    Args:
        dropped: Positions of numbers in the summary τ.
        length: Numbers behind this position are left out, missing ones are 0; None leaves the length as it is.
        avoided: Kinds of failure; pairs that show one of them are not tried.
    """

    dropped: tuple[int, ...] = ()
    length: int | None = None
    avoided: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        dropped = several("dropped", self.dropped, "positions")
        object.__setattr__(self, "dropped", tuple(whole("a position", at, 0) for at in dropped))
        if self.length is not None:
            whole("length", self.length, 0, high=_LONGEST)
        kinds = several("avoided", self.avoided, "kinds of failure")
        object.__setattr__(self, "avoided", tuple(text("a kind of failure", kind) for kind in kinds))

    def join(self, other: "Narrowing") -> "Narrowing":
        """Both left out.

        >>> Narrowing((0,)).join(Narrowing((2,), length=3))
        Narrowing(dropped=(0, 2), length=3, avoided=())
        """
        lengths = [length for length in (self.length, other.length) if length is not None]
        return Narrowing(
            tuple(sorted({*self.dropped, *other.dropped})),
            min(lengths, default=None),
            tuple(sorted({*self.avoided, *other.avoided})),
        )

    def words(self) -> tuple[str, ...]:
        """What is left out.

        >>> Narrowing((0,), length=3, avoided=("raised ValueError",)).words()
        ('output[0]', 'numbers from output[3] on', 'data on which it raised ValueError')
        """
        numbers = tuple(f"output[{at}]" for at in self.dropped)
        rest = () if self.length is None else (f"numbers from output[{self.length}] on",)
        return (*numbers, *rest, *(f"data on which it {kind}" for kind in self.avoided))

    def positions(self, count: int) -> list[int]:
        """The positions that are left of so many numbers.

        >>> Narrowing((0, 2)).positions(4)
        [1, 3]
        """
        return [at for at in range(count if self.length is None else self.length) if at not in self.dropped]

    def apply(self, vector: FloatArray) -> FloatArray:
        """The numbers that are left.

        >>> Narrowing((0,), length=3).apply(np.array([5.0, 7.0])).tolist()
        [7.0, 0.0]
        """
        if self.length is not None:
            vector = np.pad(vector[: self.length], (0, max(0, self.length - len(vector))))
        return vector[self.positions(len(vector))]


WHOLE = Narrowing()  # nothing is left out


@dataclass(frozen=True)
class NarrowedMechanism:
    """A mechanism with a narrower output, or with a domain that it does not declare itself.

    Its seeds differ from those of the mechanism: the trainings that chose the narrowing are never counted again.
    """

    mechanism: Mechanism
    narrowing: Narrowing = WHOLE
    within: Domain | None = None

    @property
    def traits(self) -> Traits:
        """Those of the mechanism; labels are those of the domain, if one is set."""
        own = traits_of(self.mechanism)
        labels = self.within.labels if isinstance(self.within, Box) and self.within.labels else own.labels
        return replace(own, name=mechanism_name(self.mechanism), labels=labels, flag=None)

    @property
    def claim(self) -> Claim:
        """The mechanism's claim."""
        return self.mechanism.claim

    def domain(self, data: Dataset) -> Domain | None:
        """The domain that was set, or the mechanism's own."""
        return self.mechanism.domain(data) if self.within is None else self.within

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The mechanism's own fit."""
        return self.mechanism.fit(data, seed)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """The numbers of the mechanism's summary that are left."""
        whole = self.mechanism.summary(model, target)
        return whole if self.narrowing == WHOLE else self.narrowing.apply(as_vector(whole))

    def refuses(self, pair: Pair) -> bool:
        """Whether a few trainings on the pair fail in a way that is to be avoided."""
        return bool(self.narrowing.avoided) and any(
            self._failure(data, index) in self.narrowing.avoided
            for data in (pair.base, pair.neighbour)
            for index in range(_TRIED)
        )

    def _failure(self, data: Dataset, index: int) -> str:
        kind = observe(lambda: train_once(self.mechanism, data, data.finite[-1], index)[1]).kind
        return kind if kind.startswith(RAISED) else ""

    def __getattr__(self, name: str) -> Any:
        """Whatever attacks ask a mechanism for, such as its surrogate; nothing that draws trainings."""
        if name.startswith("_") or name in _OWN:
            raise AttributeError(name)
        return getattr(self.mechanism, name)
