"""Ask for the worst dataset: the domains, numbers of columns and labels that crafted datasets may have."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.checks import flag, quote, real, several, whole
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, L2Ball, Label
from mlaudit.types.numbers import parameter
from mlaudit.types.traits import traits_of

# Eight rows first: as many as an audit changes by default. Then few, many, and next to multiples of 2, 10 and 15.
SIZES = (8, 2, 20, 3, 100, 9, 50, 16, 44, 45, 15, 17, 31, 33, 5, 200, 99, 101, 7, 64)
DIMENSIONS = (1, 2, 3, 5, 10, 30, 100)
_BOXES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 1000.0), (0.0, 0.001), (1000.0, 1001.0), (-1000.0, -999.0), (5.0, 6.0))
_NORMS = (1.0, 10.0, 100.0)


class NoDomain(InvalidInput):
    """The learner declares no domain, so that any dataset would be legal."""


@dataclass(frozen=True)
class Worst:
    """Search small crafted datasets for the worst D, in place of data of your own.

    Args:
        bounds: The least and the greatest value of every column, for learners that declare no domain. Learners that
            take their domain from the data get 0 and 1 by default.
        vary: Also try domains that are wide, narrow and far from zero, and norms of 1, 10 and 100.
        rows: The most rows that a crafted dataset may have; fewer make slow learners faster.
        columns: The most columns that it may have.

    Raises:
        InvalidInput: If the bounds are not a least and a greatest value, or a number is too small.

    Example:
        >>> from mlaudit import Claim, audit
        >>> too_little_noise = lambda data, rng: data.X.sum() + rng.laplace(scale=0.1)
        >>> worst = Worst(bounds=(0.0, 1.0), columns=1)
        >>> audit(too_little_noise, worst, claim=Claim(1.0), rows=1, trainings=400).violated
        True
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
                raise InvalidInput(f"bounds must be a least and a greatest value, got {quote(self.bounds)}")
            object.__setattr__(self, "bounds", ends)


def dimensions(mechanism: Mechanism, worst: Worst, labels: tuple[Label, ...] | None) -> tuple[int, ...]:
    """The numbers of columns that data may have: that of the declared bounds, or any."""
    declared = _declared_domain(mechanism, worst.bounds or _BOXES[0], 1, labels)
    own = len(declared.low) if isinstance(declared, Box) else 1
    return (own,) if own > 1 else tuple(d for d in DIMENSIONS if d <= worst.columns)


def domains(mechanism: Mechanism, worst: Worst, columns: int, labels: tuple[Label, ...] | None) -> Iterator[Domain]:
    """Yield the domain that the learner declares for data of so many columns; with `vary`, others like it."""
    first = worst.bounds or _BOXES[0]
    declared = _declared_domain(mechanism, first, columns, labels)
    yield declared
    if not worst.vary:
        return
    if domain_words(declared) == domain_words(_declared_domain(mechanism, (first[0], first[1] + 1), columns, labels)):
        raise InvalidInput(
            f"{mechanism_name(mechanism)} declares its domain by itself, got --vary-domain; leave that out"
        )
    if isinstance(declared, L2Ball):
        yield from (L2Ball(norm, declared.labels) for norm in _NORMS if norm != declared.radius)
    else:
        yield from (_declared_domain(mechanism, bounds, columns, labels) for bounds in _BOXES if bounds != first)


def _declared_domain(
    mechanism: Mechanism, bounds: tuple[float, float], columns: int, labels: tuple[Label, ...] | None
) -> Domain:
    """The domain that the learner declares for rows that fill those bounds; the bounds if it declares none."""
    probe = _probe(bounds, columns, labels)
    declared = mechanism.domain(probe)
    return Box([bounds[0]] * columns, [bounds[1]] * columns, labels) if declared is None else declared


def _probe(bounds: tuple[float, float], columns: int, labels: tuple[Label, ...] | None) -> Dataset:
    X = np.repeat(np.array(bounds), 4)[:, None] * np.ones(columns)
    return Dataset(X, None if labels is None else np.array(labels)[np.arange(len(X)) % len(labels)])


def find_labels(mechanism: Mechanism, worst: Worst) -> tuple[Label, ...] | None:
    """Find labels with which the learner trains: none, two classes, or those that it declares.

    Raises:
        InvalidInput: If it trains with none of them.
        NoDomain: If it declares no domain and no bounds are given.
    """
    own = traits_of(mechanism).labels
    kinds: tuple[tuple[Label, ...] | None, ...] = (None, (0, 1)) if own is None else (own,)
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
    domain = _declared_domain(mechanism, bounds, columns if columns in width else width[0], labels)
    probe = _probe(bounds, columns if columns in width else width[0], labels)
    data = Dataset(domain.project(probe.X), probe.y, domain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a learner warns of is no reason not to train it
        mechanism.summary(mechanism.fit(data, SeedSequence(0)), data.X[-1])


def domain_words(domain: Domain) -> str:
    """The domain in a few words."""
    if isinstance(domain, L2Ball):
        return f"norm {parameter(domain.radius)}"
    if isinstance(domain, Box):
        return f"[{parameter(domain.low.min())}, {parameter(domain.high.max())}]"
    return type(domain).__name__
