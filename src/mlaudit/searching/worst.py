"""Small crafted datasets within the declared domain: the search runs over domain, D and D′ together."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np
from numpy.random import SeedSequence

from mlaudit.adapters.convert import mechanism_name
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.checks import flag, real, several, shown, whole
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, L2Ball, Label

# Eight first: as many rows as may be changed at once. Then small, large, and next to multiples of 2, 10 and 15.
SIZES = (8, 2, 20, 3, 100, 9, 50, 16, 44, 45, 15, 17, 31, 33, 5, 200, 99, 101, 7, 64)
DIMENSIONS = (1, 2, 3, 5, 10, 30, 100)
_BOXES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 1000.0), (0.0, 0.001), (1000.0, 1001.0), (-1000.0, -999.0), (5.0, 6.0))
_NORMS = (1.0, 10.0, 100.0)


class NoDomain(InvalidInput):
    """A learner that declares no domain, so that any dataset would be legal."""


@dataclass(frozen=True)
class Worst:
    """Asks for the worst dataset there is, in place of one of the user's own.

    `bounds` is the least and the greatest value of every column, for learners that declare no domain themselves
    (default: 0 and 1 for those that take it from their data). With `vary` domains are tried that are wide, narrow and
    far from zero, and norms of 1, 10 and 100. `rows` and `columns` are the most that data may have: a learner may be
    slow where there are many.

    >>> Worst(bounds=(1.0, 0.0))
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: bounds must be a least and a greatest value, got (1.0, 0.0)
    """

    bounds: tuple[float, float] | None = None
    vary: bool = False
    rows: int = 200
    columns: int = 100
    name = "worst"

    def __post_init__(self) -> None:
        whole("rows", self.rows, 2)
        whole("columns", self.columns, 1)
        flag("vary", self.vary)
        if self.bounds is not None:
            ends = several("bounds", self.bounds, "a least and a greatest value")
            if len(ends) != 2 or not real("bounds", ends[0], -inf, inf) < real("bounds", ends[1], -inf, inf):
                raise InvalidInput(f"bounds must be a least and a greatest value, got {shown(self.bounds)}")
            object.__setattr__(self, "bounds", ends)


@dataclass(frozen=True, eq=False)
class Frame:
    """What a layout fills: so many rows and columns in a domain, and the labels that rows may have."""

    rows: int
    columns: int
    domain: Domain
    labels: tuple[Label, ...] | None

    @property
    def low(self) -> FloatArray:
        """An extreme row."""
        return self._end(-1.0)

    @property
    def high(self) -> FloatArray:
        """The one opposite to it."""
        return self._end(1.0)

    def _end(self, sign: float) -> FloatArray:
        if isinstance(self.domain, Box):
            return np.array(np.broadcast_to(self.domain.high if sign > 0 else self.domain.low, self.columns))
        return np.asarray(self.domain.project(np.full((1, self.columns), sign * 1e6))[0])


class Layout(Protocol):
    """Where the rows of a frame lie, and which of its labels each has, by place; None where it does not fit."""

    def __call__(self, frame: Frame) -> tuple[FloatArray, AnyArray] | None:
        """Rows, and the place of each one's label among the frame's."""


def dimensions(mechanism: Mechanism, worst: Worst, labels: tuple[Label, ...] | None) -> tuple[int, ...]:
    """How many columns data may have: those of the declared bounds, or any number."""
    declared = _declared(mechanism, worst.bounds or _BOXES[0], 1, labels)
    own = len(declared.low) if isinstance(declared, Box) else 1
    return (own,) if own > 1 else tuple(d for d in DIMENSIONS if d <= worst.columns)


def domains(mechanism: Mechanism, worst: Worst, columns: int, labels: tuple[Label, ...] | None) -> Iterator[Domain]:
    """The domain that the learner declares for data of so many columns; where it may vary, others like it."""
    first = worst.bounds or _BOXES[0]
    declared = _declared(mechanism, first, columns, labels)
    yield declared
    if not worst.vary:
        return
    if domain_words(declared) == domain_words(_declared(mechanism, (first[0], first[1] + 1), columns, labels)):
        raise InvalidInput(
            f"{mechanism_name(mechanism)} declares its domain by itself, got --vary-domain; leave that out"
        )
    if isinstance(declared, L2Ball):
        yield from (L2Ball(norm, declared.labels) for norm in _NORMS if norm != declared.radius)
    else:
        yield from (_declared(mechanism, bounds, columns, labels) for bounds in _BOXES if bounds != first)


def _declared(
    mechanism: Mechanism, bounds: tuple[float, float], columns: int, labels: tuple[Label, ...] | None
) -> Domain:
    """What the learner says of rows that fill those bounds."""
    probe = _probe(bounds, columns, labels)
    declared = mechanism.domain(probe)
    return Box([bounds[0]] * columns, [bounds[1]] * columns, labels) if declared is None else declared


def _probe(bounds: tuple[float, float], columns: int, labels: tuple[Label, ...] | None) -> Dataset:
    X = np.repeat(np.array(bounds), 4)[:, None] * np.ones(columns)
    return Dataset(X, None if labels is None else np.array(labels)[np.arange(len(X)) % len(labels)])


def labels_taken(mechanism: Mechanism, worst: Worst) -> tuple[Label, ...] | None:
    """No labels where the learner can do without, else its own, else two classes: whatever trains at all."""
    own: tuple[Label, ...] | None = getattr(mechanism, "labels", None)
    kinds: tuple[tuple[Label, ...] | None, ...] = (None, (0, 1)) if own is None else (tuple(own),)
    reason: Exception = InvalidInput("nothing was tried")
    for labels, columns in [(labels, d) for labels in kinds for d in DIMENSIONS[:5]]:
        try:
            _train_once(mechanism, worst, columns, labels)
        except (MemoryError, NoDomain):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a learner says to data that it cannot use
            reason = error
        else:
            return labels
    if isinstance(reason, AuditError):
        raise reason
    raise InvalidInput(
        f"{mechanism_name(mechanism)} must train on crafted rows within its domain, got "
        f"{type(reason).__name__}: {reason}; give data of your own"
    ) from reason


def _train_once(mechanism: Mechanism, worst: Worst, columns: int, labels: tuple[Label, ...] | None) -> None:
    bounds = worst.bounds or _BOXES[0]
    if worst.bounds is None and mechanism.domain(_probe(bounds, columns, labels)) is None:
        raise NoDomain(
            f"the worst data lie in a declared domain, {mechanism_name(mechanism)} has none; give --bounds LOW,HIGH"
        )
    width = dimensions(mechanism, worst, labels)
    domain = _declared(mechanism, bounds, columns if columns in width else width[0], labels)
    probe = _probe(bounds, columns if columns in width else width[0], labels)
    data = Dataset(domain.project(probe.X), probe.y, domain)
    mechanism.summary(mechanism.fit(data, SeedSequence(0)), data.X[-1])


def domain_words(domain: Domain) -> str:
    """A domain in a few words."""
    if isinstance(domain, L2Ball):
        return f"norm {domain.radius:g}"
    if isinstance(domain, Box):
        return f"[{domain.low.min():g}, {domain.high.max():g}]"
    return type(domain).__name__
