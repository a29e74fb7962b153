"""What a sweep will take and could show, before anything of it runs."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from numpy.random import SeedSequence

from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.stores.memory import MemoryStore
from mlaudit.sweeps.ceilings import Ceilings
from mlaudit.sweeps.kinds.audit import AuditJob
from mlaudit.sweeps.orders import Order
from mlaudit.threads import one_thread

_TRIALS = (2000, 8000)  # trainings of timed audits in batches: what each costs besides its trainings shows in two
_FEW, _SLOW = 100, 1.0  # where so many trainings take so many seconds, these are all that is timed
_FITS = 3  # timed fits of a library
_ROW_BYTES, _TRAINING_BYTES = 3000, 30  # of a result, and of a stored training besides its numbers


@dataclass(frozen=True)
class Part:
    """Cells of one learner on one dataset."""

    mechanism: str
    data: str
    cells: int
    trainings: int
    cpu_seconds: float
    disk_bytes: int
    lowest_ceiling: float
    highest_ceiling: float
    out_of_reach: int


def planned(orders: Sequence[Order]) -> Iterator[Part]:
    """One part after the other, as they have been timed."""
    ceilings = Ceilings()
    for (mechanism, data), group in groupby(sorted(orders, key=_sort), key=_sort):
        yield _part(mechanism, data, list(group), ceilings)


def _sort(order: Order) -> tuple[str, str]:
    settings = order.cell.settings
    return str(settings.get("mechanism", order.cell.kind)), str(settings.get("data", ""))


def _part(mechanism: str, data: str, orders: list[Order], ceilings: Ceilings) -> Part:
    jobs = [order.job for order in orders if isinstance(order.job, AuditJob)]
    tops = [_ceiling(job, ceilings) for job in jobs]
    seconds, size = 0.0, 0
    for at_once in (True, False):
        some = [job for job in jobs if job.at_once == at_once]
        if some and at_once:
            base, each = _timed_audits(some[0])
            seconds += sum(base + each * job.trainings for job in some)
        elif some:
            each, numbers = _timed_fits(some[0])
            trainings = sum(job.trainings for job in some)
            seconds += each * trainings
            size += trainings * (8 * numbers + _TRAINING_BYTES)
    return Part(
        mechanism=mechanism,
        data=data,
        cells=len(orders),
        trainings=sum(job.trainings for job in jobs),
        cpu_seconds=seconds,
        disk_bytes=size + _ROW_BYTES * len(orders),
        lowest_ceiling=min(tops, default=0.0),
        highest_ceiling=max(tops, default=0.0),
        out_of_reach=sum(top < job.claim.epsilon for top, job in zip(tops, jobs, strict=True)),
    )


def _timed_audits(job: AuditJob) -> tuple[float, float]:
    """CPU seconds of an audit in batches, and of each training more."""
    plain = replace(job, rows=job.rows[:1], attacks=job.attacks and job.attacks[:1])  # so few cannot choose
    if _spent(plain, _FEW) > _SLOW and (again := _spent(plain, _FEW)) > _SLOW:  # the first compiles, perhaps
        return 0.0, again / _FEW
    spent = [_spent(job, trainings) for trainings in _TRIALS]
    each = max(0.0, (spent[1] - spent[0]) / (_TRIALS[1] - _TRIALS[0]))
    return max(0.0, spent[0] - each * _TRIALS[0]), each


def _spent(job: AuditJob, trainings: int) -> float:
    began = time.process_time()
    replace(job, trainings=trainings).measure(JoblibEngine(1), MemoryStore(), lambda *_: None)
    return time.process_time() - began


def _timed_fits(job: AuditJob) -> tuple[float, int]:
    """CPU seconds of a training, and the numbers it is summarised by."""
    data = job.data if job.pair is None else job.pair.base
    if data is None:
        return 0.0, 1
    data = data.within(job.mechanism.domain(data))
    with one_thread():
        job.mechanism.fit(data, SeedSequence(_FITS))  # the first imports what it needs
        began = time.process_time()
        models = [job.mechanism.fit(data, SeedSequence(i)) for i in range(_FITS)]
        each = (time.process_time() - began) / _FITS
    return each, len(job.mechanism.summary(models[0], data.X[0]))


def _ceiling(job: AuditJob, ceilings: Ceilings) -> float:
    """At the fewest rows that the audit may choose."""
    chosen = len(job.rows) * len(job.attacks or (None,)) > 1
    return ceilings.highest(job.procedure, job.claim, job.trainings, job.alpha, steps=job.fewest_steps, chosen=chosen)
