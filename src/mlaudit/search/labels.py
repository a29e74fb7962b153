"""Find labels with which a learner trains on crafted rows.

A learner that raises on some rows is searched all the same: an exception is an output that may leak. Only a learner
that raises on rows of every sort, whatever their labels, cannot be searched.
"""

import warnings
from itertools import product

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.search.region import region_ends
from mlaudit.search.worst import BOXES, DIMENSIONS, Worst, declared_domain, dimensions, probe_rows
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Label
from mlaudit.types.traits import traits_of

Labels = tuple[Label, ...] | None
_COLUMNS = DIMENSIONS[:5]
# Numbers of rows, and how they fill the domain: some learners refuse equal rows, or few, or any row at one end.
_ENDS, _SPREAD, _LOW, _MIDDLE, _HIGH = "half at either end", "spread out", "low end", "middle", "high end"
_SORTS = ((8, _ENDS), (8, _SPREAD), (100, _ENDS), (100, _SPREAD), (2, _SPREAD), (8, _LOW), (8, _MIDDLE), (8, _HIGH))


class NoDomain(InvalidInput):
    """The learner declares no domain, so that any dataset would be legal."""


def find_labels(mechanism: Mechanism, worst: Worst, *, needed: bool = False) -> Labels:
    """Find labels with which the learner trains on some rows: none, two classes, or those that it declares.

    Args:
        mechanism: The learner.
        worst: Which data may be crafted.
        needed: Whether rows without labels are of no use, as under label-only.

    Returns:
        The labels, or None for rows without labels.

    Raises:
        InvalidInput: If it raises on all rows that were tried.
        NoDomain: If it declares no domain and no bounds are given.
    """
    own = traits_of(mechanism).labels
    kinds: tuple[Labels, ...] = (own,) if own is not None else ((0, 1),) if needed else (None, (0, 1))
    errors: list[Exception] = []
    labels: Labels
    for (rows, sort), labels, columns in product(_SORTS, kinds, _COLUMNS):
        try:
            probe = _make_probe(mechanism, worst, columns, labels, rows, sort)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what a learner warns of is no reason not to train it
                mechanism.summary(mechanism.fit(probe, SeedSequence(0)), probe.X[-1])
        except (MemoryError, NoDomain):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a learner says to data that it cannot use
            errors.append(error)
        else:
            return labels
    reason = errors[len(kinds) * len(_COLUMNS) - 1]  # of the plainest rows, with labels
    if isinstance(reason, AuditError):
        raise reason
    raise InvalidInput(
        f"{mechanism_name(mechanism)} must train on some crafted rows within its domain, got an exception on each of "
        f"{len(errors)} datasets, as in {type(reason).__name__}: {reason}; give data of your own"
    ) from reason


def _make_probe(mechanism: Mechanism, worst: Worst, columns: int, labels: Labels, rows: int, sort: str) -> Dataset:
    """Rows that fill the learner's domain in one of the ways that are tried."""
    bounds = worst.bounds or BOXES[0]
    if worst.bounds is None and mechanism.domain(probe_rows(bounds, columns, labels)) is None:
        raise NoDomain(
            f"--data worst needs a declared domain, but {mechanism_name(mechanism)} has none; give --bounds LOW,HIGH"
        )
    widths = dimensions(mechanism, worst, labels)
    width = columns if columns in widths else widths[0]
    domain = declared_domain(mechanism, bounds, width, labels)
    low, high = region_ends(domain, width)
    share = _share_out(sort, rows)
    X = domain.project(low + share[:, None] * (high - low))
    probe = Dataset(X, None if labels is None else np.array(labels)[np.arange(rows) % len(labels)], domain)
    return worst.own(probe)


def _share_out(sort: str, rows: int) -> FloatArray:
    """Where every row lies: 0 is the low end of the domain, 1 the high end.

    >>> _share_out(_ENDS, 3).tolist(), _share_out(_MIDDLE, 2).tolist()
    ([0.0, 1.0, 1.0], [0.5, 0.5])
    """
    if sort == _SPREAD:
        return np.linspace(0.0, 1.0, rows)
    if sort == _ENDS:
        return np.repeat([0.0, 1.0], [rows // 2, rows - rows // 2])
    return np.full(rows, {_LOW: 0.0, _MIDDLE: 0.5, _HIGH: 1.0}[sort])
