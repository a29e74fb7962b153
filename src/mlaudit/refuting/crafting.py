"""The domain of crafted data: what the learner declares, else what the user's data say."""

from typing import NamedTuple

import numpy as np

from mlaudit.adapters.estimator import EstimatorMechanism
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.refuting.narrowed import NarrowedMechanism
from mlaudit.refuting.subject import Subject
from mlaudit.search.crafting import CraftedData
from mlaudit.search.layout import Shape
from mlaudit.search.worst import Worst, dimensions, domain_words, domains, find_labels
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, Label

_PROBES = ((0.0, 1.0), (0.0, 2.0))  # a learner that declares the same domain for both declares it by itself
_CONFIGURED = ("bound", "norm", "range")  # parts of names of parameters that say which rows an estimator expects
_ROWS, _LAYOUT = 20, "spread_out"  # of the data that a scan starts from, where the user gives none


class Crafting(NamedTuple):
    """Where data may be crafted: the learner with its domain, and the search for its worst data; or an obstacle."""

    mechanism: Mechanism
    worst: Worst
    obstacle: str = ""


def plan_crafting(subject: Subject) -> Crafting:
    """Decide within which domain data may be crafted.

    A learner that declares its domain gets data of that domain. One that takes it from its data gets data of several
    domains. One that declares none, and an estimator that was configured with bounds of its own, get data within the
    box around the user's data.
    """
    mechanism, worst = subject.mechanism, Worst(subject.bounds)
    if subject.bounds is not None:
        return Crafting(mechanism, worst)
    declared = [_declare(mechanism, ends) for ends in _PROBES]
    configured = _is_configured(subject.learner)
    if None not in declared and not configured:
        return Crafting(mechanism, Worst(vary=domain_words(declared[0]) != domain_words(declared[1])))
    if subject.data is None:
        why = "was configured with bounds or norms" if configured else "declares no domain"
        words = f"{mechanism_name(mechanism)} {why}: give data, or the bounds of crafted data"
        return Crafting(mechanism, worst, words)
    return Crafting(_within(subject, subject.data), Worst(columns=subject.data.X.shape[1]))


def craft_data(subject: Subject) -> Dataset:
    """A small dataset that fills the domain, for a scan without data of the user's own.

    Raises:
        InvalidInput: If the learner trains on no crafted data.
    """
    mechanism, worst, _ = plan_crafting(subject)
    labels = find_labels(mechanism, worst)
    columns = min(dimensions(mechanism, worst, labels)[:2])
    domain = next(iter(domains(mechanism, worst, columns, labels)))
    crafted = CraftedData(mechanism, Shape(_ROWS, columns, domain, labels), _LAYOUT, (), 0).make_data()
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


def _within(subject: Subject, data: Dataset) -> NarrowedMechanism:
    labels: tuple[Label, ...] | None = None if data.y is None else tuple(np.unique(data.y).tolist())
    own = subject.learner.domain(data) if data.domain is None else data.domain
    box = Box.enclosing(data.X, labels) if own is None else own
    return NarrowedMechanism(subject.learner, subject.narrowing, box)
