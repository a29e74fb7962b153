"""The domain of crafted data: what the learner declares, else what the user's data say."""

from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from mlaudit.adapters.estimator import EstimatorMechanism
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.refuting.narrowed import NarrowedMechanism
from mlaudit.refuting.subject import Subject
from mlaudit.refuting.whole_numbers import enclose_data
from mlaudit.search.crafting import CraftedData
from mlaudit.search.labels import find_labels
from mlaudit.search.layout import Shape
from mlaudit.search.worst import Worst, dimensions, domain_words, domains
from mlaudit.types.claim import Relation
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.units import count_rows_of
from mlaudit.types.zeroing import has_null

_PROBES = ((0.0, 1.0), (0.0, 2.0))  # a learner that declares the same domain for both declares it by itself
_CONFIGURED = ("bound", "norm", "range")  # parts of names of parameters that say which rows an estimator expects
_MOST_UNIT_ROWS = 50  # leaves room for four units in the largest crafted dataset
_ROWS, _LAYOUT = 20, "spread_out"  # of the data that a scan starts from, where the user gives none


class Crafting(NamedTuple):
    """Where data may be crafted: the learner with its domain, and the search for its worst data; or an obstacle."""

    mechanism: Mechanism
    worst: Worst
    obstacle: str = ""


def plan_crafting(subject: Subject) -> Crafting:
    """Decide within which domain data may be crafted: a witness must be legal.

    A learner that declares its domain gets data of that domain. One that takes it from its data gets data of several
    domains. One that declares none, and an estimator that was configured with bounds of its own, get data within the
    given bounds, or within the box around the user's data, and with as many columns as these have.

    Raises:
        InvalidInput: If bounds are given for a learner that declares its own.
    """
    mechanism, bounds = subject.mechanism, subject.bounds
    worst = Worst(unit_rows=subject.unit_rows, unit=subject.unit)
    typed = None if subject.data is None else subject.data.domain
    if isinstance(typed, Columns):
        if bounds is not None:
            raise InvalidInput("the columns of a typed table have bounds of their own, got bounds; leave them out")
        narrowed = NarrowedMechanism(subject.learner, subject.narrowing, typed)
        return Crafting(narrowed, replace(worst, columns=len(typed.low)))
    declared = [_declare(mechanism, ends) for ends in _PROBES]
    configured = _is_configured(subject.learner)
    known = None not in declared and not configured
    varies = known and domain_words(cast(Domain, declared[0])) != domain_words(cast(Domain, declared[1]))
    if known and not varies and bounds is not None:
        raise InvalidInput(f"{mechanism_name(mechanism)} declares its domain by itself, got bounds; leave them out")
    if known and bounds is None:
        return Crafting(mechanism, replace(worst, vary=varies))
    if bounds is None and subject.data is None:
        why = "was configured with bounds or norms" if configured else "declares no domain"
        return Crafting(mechanism, worst, f"{mechanism_name(mechanism)} {why}: give data or bounds")
    box = _box_of(subject)
    return Crafting(NarrowedMechanism(subject.learner, subject.narrowing, box), replace(worst, columns=len(box.low)))


def plan_units(data: Dataset | None, unit_rows: int | None, unit: str | None) -> Worst:
    """The units of crafted data: as asked for, else as large as those of the user's data, if these have units.

    Raises:
        InvalidInput: If units are asked for beside data that have none.

    Example:
        >>> plan_units(Dataset([0.0, 1.0, 2.0], units=[7, 7, 8], unit="user"), None, None).unit_rows
        2
    """
    if data is None:
        return Worst(unit_rows=unit_rows, unit=unit)
    if data.units is None:
        if unit_rows is not None or unit is not None:
            raise InvalidInput("units of crafted data need data with units, got none; give Dataset(..., units=...)")
        return Worst()
    largest = min(int(count_rows_of(data.units).max()), _MOST_UNIT_ROWS)
    return Worst(unit_rows=largest if unit_rows is None else unit_rows, unit=data.unit)


def craft_data(subject: Subject) -> Dataset:
    """A small dataset that fills the domain, for a scan without data of the user's own.

    Raises:
        InvalidInput: If the learner trains on no crafted data.
    """
    mechanism, worst, _ = plan_crafting(subject)
    labels = find_labels(mechanism, worst, needed=subject.claim.relation is Relation.LABEL_ONLY)
    columns = min(dimensions(mechanism, worst, labels)[:2])
    found = list(domains(mechanism, worst, columns, labels))
    zero_out = subject.claim.relation is Relation.ZERO_OUT
    domain = next((one for one in found if not zero_out or has_null(columns, one)), found[0])
    shape = Shape(min(_ROWS, worst.most_units), columns, domain, labels)
    crafted = CraftedData(mechanism, shape, _LAYOUT, (), 0, worst=worst).make_data()
    if crafted is None:
        raise InvalidInput(f"{mechanism_name(mechanism)} must have a domain that rows can fill, got {domain!r}")
    return crafted


def _declare(mechanism: Mechanism, ends: tuple[float, float]) -> Domain | None:
    for y in (None, np.arange(8) % 2):
        try:
            return mechanism.domain(Dataset(np.repeat(ends, 4)[:, None], y))
        except AuditError:  # it needs labels
            continue
    return None


def _is_configured(learner: Mechanism) -> bool:
    """Whether an estimator's own parameters say which rows it expects."""
    if not isinstance(learner, EstimatorMechanism) or learner.bounds is not None:
        return False
    given = learner.estimator.get_params(deep=True)
    return any(value is not None and any(word in name for word in _CONFIGURED) for name, value in given.items())


def _box_of(subject: Subject) -> Box:
    """The given bounds, or the box around the user's data; as many columns as the data have, else one."""
    data = subject.data
    if subject.bounds is not None:
        columns = 1 if data is None else data.X.shape[1]
        labels = None if data is None or data.y is None else tuple(np.unique(data.y).tolist())
        return Box([subject.bounds[0]] * columns, [subject.bounds[1]] * columns, labels)
    own = cast(Dataset, data).domain
    return own if isinstance(own, Box) else enclose_data(cast(Dataset, data))
