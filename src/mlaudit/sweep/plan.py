"""What a sweep will take and could show, before anything of it runs."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from numpy.random import SeedSequence

from mlaudit.auditing.run import Audit
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.threads import one_thread
from mlaudit.sweep.ceilings import Ceilings
from mlaudit.sweep.jobs import Job
from mlaudit.sweep.kinds.audit import AuditMeasurement
from mlaudit.types.block import Block

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


def plan_jobs(jobs: Sequence[Job]) -> Iterator[Part]:
    """A part for each learner and dataset, as soon as it has been timed."""
    ceilings = Ceilings()
    for (mechanism, data), group in groupby(sorted(jobs, key=_part_of), key=_part_of):
        yield _plan_part(mechanism, data, list(group), ceilings)


def _part_of(job: Job) -> tuple[str, str]:
    return str(job.settings.get("mechanism", job.kind)), str(job.settings.get("data", ""))


def _plan_part(mechanism: str, data: str, jobs: list[Job], ceilings: Ceilings) -> Part:
    audits = [job.measurement for job in jobs if isinstance(job.measurement, AuditMeasurement)]
    tops = [_highest_epsilon(one, ceilings) for one in audits]
    seconds, size = 0.0, 0
    for batched in (True, False):
        some = [one for one in audits if one.batched == batched]
        if some and batched:
            base, each, kept = _time_audits(some[0])
            seconds += sum(base + each * one.trainings for one in some)
            size += sum(round(kept * one.trainings) for one in some if not one.at_once)
        elif some:
            each, numbers = _time_fits(some[0])
            trainings = sum(one.trainings for one in some)
            seconds += each * trainings
            size += trainings * (8 * numbers + _TRAINING_BYTES)
    return Part(
        mechanism=mechanism,
        data=data,
        cells=len(jobs),
        trainings=sum(one.trainings for one in audits),
        cpu_seconds=seconds,
        disk_bytes=size + _ROW_BYTES * len(jobs),
        lowest_ceiling=min(tops, default=0.0),
        highest_ceiling=max(tops, default=0.0),
        out_of_reach=sum(top < one.audit.claim.epsilon for top, one in zip(tops, audits, strict=True)),
    )


def _time_audits(measurement: AuditMeasurement) -> tuple[float, float, float]:
    """CPU seconds of an audit in batches, and of each training more; the bytes of its outputs for each training."""
    audit = measurement.audit
    plain = replace(audit, rows=audit.rows[:1], attack=audit.attack and audit.attack[:1])  # so few cannot choose
    spent, size = _time(plain, _FEW)
    if spent > _SLOW and (again := _time(plain, _FEW)[0]) > _SLOW:  # the first compiles, perhaps
        return 0.0, again / _FEW, size / _FEW
    less, more = (_time(audit, trainings)[0] for trainings in _TRIALS)
    each = max(0.0, (more - less) / (_TRIALS[1] - _TRIALS[0]))
    return max(0.0, less - each * _TRIALS[0]), each, size / _FEW


def _time(audit: Audit, trainings: int) -> tuple[float, int]:
    """CPU seconds of an audit, and the bytes of the outputs that it drew."""
    began, blocks = time.process_time(), dict[str, dict[int, Block]]()
    replace(audit, trainings=trainings).run(LokyEngine(1), MemoryStore(blocks), lambda *_: None)
    spent = time.process_time() - began
    drawn = [block for stream in blocks.values() for block in stream.values()]
    return spent, sum(block.z.nbytes + _TRAINING_BYTES * len(block) for block in drawn)


def _time_fits(measurement: AuditMeasurement) -> tuple[float, int]:
    """CPU seconds of a training, and the numbers it is summarised by."""
    mechanism, pair = measurement.audit.mechanism, measurement.audit.pair
    data = measurement.dataset if pair is None else pair.base
    if data is None:
        return 0.0, 1
    data = data.within(mechanism.domain(data))
    with one_thread():
        mechanism.fit(data, SeedSequence(_FITS))  # the first imports what it needs
        began = time.process_time()
        models = [mechanism.fit(data, SeedSequence(i)) for i in range(_FITS)]
        each = (time.process_time() - began) / _FITS
    return each, len(mechanism.summary(models[0], data.finite[0]))


def _highest_epsilon(measurement: AuditMeasurement, ceilings: Ceilings) -> float:
    """The highest ε that could be shown, at the fewest rows that the audit may choose."""
    audit = measurement.audit
    chosen = len(audit.rows) * len(audit.attack or (None,)) > 1
    return ceilings.highest_epsilon(
        audit.procedure, audit.claim, audit.trainings, audit.alpha, steps=measurement.fewest_steps, chosen=chosen
    )
