"""Ask for the worst dataset: the domains and numbers of columns that crafted datasets may have."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import cast

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.card import list_some
from mlaudit.types.checks import flag, quote, real, several, text, whole
from mlaudit.types.clipping import as_clipping
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, L2Ball, Label
from mlaudit.types.numbers import parameter
from mlaudit.types.traits import traits_of

# Eight rows first: as many as an audit changes by default. Then few, many, and next to multiples of 2, 10 and 15.
SIZES = (8, 2, 20, 3, 100, 9, 50, 16, 44, 45, 15, 17, 31, 33, 5, 200, 99, 101, 7, 64)
DIMENSIONS = (1, 2, 3, 5, 10, 30, 100)
BOXES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 1000.0), (0.0, 0.001), (1000.0, 1001.0), (-1000.0, -999.0), (5.0, 6.0))
UNIT_ROWS = 4  # of each unit, where nobody says how many
_NAMED = 4  # columns of a typed table that are named
_NORMS = (1.0, 10.0, 100.0)
_UNEQUAL = ((0.0, 1.0), (-5.0, 995.0), (1000.0, 1000.001))  # bounds of one column after the other
Bounds = tuple[float, float] | tuple[FloatArray, FloatArray]  # the ends of every column, or column by column


@dataclass(frozen=True)
class Worst:
    """Search small crafted datasets for the worst D, in place of data of your own.

    Args:
        bounds: The least and the greatest value of every column, for learners that declare no domain. Learners that
            take their domain from the data get 0 and 1 by default.
        vary: Also try domains that are wide, narrow and far from zero, and norms of 1, 10 and 100.
        rows: The most rows that a crafted dataset may have; fewer make slow learners faster.
        columns: The most columns that it may have.
        unit_rows: The rows of each unit, if one neighbour step is all rows of one unit. None if every row is a unit
            of its own.
        unit: What owns rows, in results; "unit" by default.

    Raises:
        InvalidInput: If the bounds are not a least and a greatest value, a number is too small, or two units have
            more than `rows` rows.

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
    unit_rows: int | None = field(default=None, metadata={"later": True})
    unit: str | None = field(default=None, metadata={"later": True})
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
        if self.unit_rows is not None and 2 * whole("unit_rows", self.unit_rows, 1) > self.rows:
            raise InvalidInput(
                f"unit_rows must be at most half of the {self.rows} rows of crafted data, got {self.unit_rows}; "
                "allow more rows"
            )
        if self.unit_rows is not None:
            object.__setattr__(self, "unit", text("unit", "unit" if self.unit is None else self.unit))
        elif self.unit is not None:
            raise InvalidInput(f"unit {self.unit!r} needs unit_rows, the rows of each unit, got none; give them")

    @property
    def most_units(self) -> int:
        """The most units that a crafted dataset may have; without units, the most rows."""
        return self.rows // (self.unit_rows or 1)

    def own(self, data: Dataset) -> Dataset:
        """The dataset `data` with `unit_rows` copies of each row, which are one unit; without units as it is.

        >>> Worst(unit_rows=2).own(Dataset([0.0, 1.0])).units.tolist()
        [0, 0, 1, 1]
        """
        if self.unit_rows is None:
            return data
        at = np.repeat(np.arange(len(data)), self.unit_rows)
        labels = None if data.y is None else data.y[at]
        return Dataset(data.X[at], labels, data.domain, data.name, units=at, unit=self.unit)


def dimensions(mechanism: Mechanism, worst: Worst, labels: tuple[Label, ...] | None) -> tuple[int, ...]:
    """The numbers of columns that data may have: that of the learner's traits or of the declared bounds, or any."""
    if traits_of(mechanism).columns:
        return (traits_of(mechanism).columns,)
    declared = declared_domain(mechanism, worst.bounds or BOXES[0], 1, labels)
    if isinstance(declared, Columns):
        return (len(declared.low),)
    own = len(declared.low) if isinstance(declared, Box) else 1
    return (own,) if own > 1 else tuple(d for d in DIMENSIONS if d <= worst.columns)


def domains(
    mechanism: Mechanism, worst: Worst, columns: int, labels: tuple[Label, ...] | None, outside: str = ""
) -> Iterator[Domain]:
    """Yield the domain that the learner declares for data of so many columns; with `vary`, others like it."""
    return (cast(Domain, as_clipping(one, outside)) for one in _declared_domains(mechanism, worst, columns, labels))


def _declared_domains(
    mechanism: Mechanism, worst: Worst, columns: int, labels: tuple[Label, ...] | None
) -> Iterator[Domain]:
    first = worst.bounds or BOXES[0]
    declared = declared_domain(mechanism, first, columns, labels)
    yield declared
    if not worst.vary:
        return
    if domain_words(declared) == domain_words(declared_domain(mechanism, (first[0], first[1] + 1), columns, labels)):
        raise InvalidInput(
            f"{mechanism_name(mechanism)} declares its domain by itself, got --vary-domain; leave that out"
        )
    if isinstance(declared, L2Ball):
        yield from (L2Ball(norm, declared.labels) for norm in _NORMS if norm != declared.radius)
    else:
        if columns > 1:
            yield declared_domain(mechanism, _unequal_bounds(columns), columns, labels)
        yield from (declared_domain(mechanism, bounds, columns, labels) for bounds in BOXES if bounds != first)


def _unequal_bounds(columns: int) -> Bounds:
    """Bounds of another width and another place in every column, repeated: a sensitivity may be that of a neighbour.

    >>> [ends.tolist() for ends in _unequal_bounds(4)]
    [[0.0, -5.0, 1000.0, 0.0], [1.0, 995.0, 1000.001, 1.0]]
    """
    at = np.arange(columns) % len(_UNEQUAL)
    low, high = np.array(_UNEQUAL)[at].T
    return low, high


def declared_domain(mechanism: Mechanism, bounds: Bounds, columns: int, labels: tuple[Label, ...] | None) -> Domain:
    """The domain that the learner declares for rows that fill those bounds; the bounds if it declares none."""
    declared = mechanism.domain(probe_rows(bounds, columns, labels))
    low, high = (np.broadcast_to(end, columns) for end in bounds)
    return Box(low, high, labels) if declared is None else declared


def probe_rows(bounds: Bounds, columns: int, labels: tuple[Label, ...] | None) -> Dataset:
    """Eight rows, half of them at either bound."""
    X = np.repeat([np.broadcast_to(end, columns) for end in bounds], 4, axis=0)
    return Dataset(X, None if labels is None else np.array(labels)[np.arange(len(X)) % len(labels)])


def domain_words(domain: Domain) -> str:
    """The domain in a few words."""
    if isinstance(domain, Columns):
        return f"columns {list_some(domain.names, _NAMED)}"
    if isinstance(domain, L2Ball):
        return f"norm {parameter(domain.radius)}"
    if isinstance(domain, Box):
        return f"[{parameter(domain.low.min())}, {parameter(domain.high.max())}]"
    return type(domain).__name__
