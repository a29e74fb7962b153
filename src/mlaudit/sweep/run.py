"""Measuring the jobs of a sweep: short ones whole in workers, long ones here with their trainings in workers.

Rows are committed one by one. What a worker had drawn of a short job when it was killed is drawn again: the same
numbers, in seconds. Trainings of long jobs are kept in the store as they come.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Protocol

from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.progress import ProgressFunction
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.errors import AuditError, Incomplete
from mlaudit.naming.describe import describe
from mlaudit.protocols import Engine, Store
from mlaudit.sweep.jobs import Job
from mlaudit.sweep.kinds._kind import Measurement
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.dataset import Dataset
from mlaudit.types.row import Row

_MOST = 12  # jobs of a group, so that a kill loses little and workers end together

Packed = tuple[int, Measurement, str]  # which job it is, without its data, and the name that the data are found by


class SweepProgress(Protocol):
    """Who is told how a sweep goes on."""

    def start(self, jobs: Sequence[Job], workers: int) -> None:
        """These are left to do."""

    def count_trainings(self, trainings: int, cpu_seconds: float) -> None:
        """So many trainings more of the job that is divided among workers."""

    def finish(self, job: Job, values: Mapping[str, Any], cpu_seconds: float) -> None:
        """A row was committed."""


@dataclass(frozen=True)
class Measured:
    """What came out of a job."""

    index: int
    values: Mapping[str, Any]
    cpu_seconds: float


def run_jobs(
    jobs: Sequence[Job],
    results: SqliteResults,
    store: Store,
    engine: Engine,
    progress: SweepProgress,
    *,
    workers: int = 1,
) -> list[str]:
    """Measure every job that has no row yet.

    Args:
        jobs: All jobs of the sweeps.
        results: Keeps the rows.
        store: Keeps the trainings of long jobs.
        engine: Where trainings, or whole jobs, run.
        progress: Is told how the sweep goes on.
        workers: How many processes the engine has.

    Returns:
        A sentence for every job that failed.
    """
    left = []
    for job in jobs:
        there = results.find(job.key)
        if there is None:
            left.append(job)
        else:  # for another study, perhaps, or at another position
            _put(results, job, there.values, there.cpu_seconds)
    progress.start(left, workers)
    failures = []
    for job, made in _measure_all(left, store, engine, progress):
        _put(results, job, made.values, made.cpu_seconds)
        progress.finish(job, made.values, made.cpu_seconds)
        if "error" in made.values:
            failures.append(f"{job.study}, cell {job.name}: {made.values['error']}")
    for study in {job.study for job in jobs}:
        results.keep(study, {job.key for job in jobs if job.study == study})
    return failures


def _measure_all(
    left: Sequence[Job], store: Store, engine: Engine, progress: SweepProgress
) -> Iterator[tuple[Job, Measured]]:
    at_once = [(index, job.measurement) for index, job in enumerate(left) if job.measurement.at_once]
    shared: dict[str, Dataset] = {}
    groups = [tuple(_pack(index, one, shared) for index, one in group) for group in _group(at_once)]
    for made in engine.map_unordered(partial(_measure_group, shared), groups):
        for one in made:
            yield left[one.index], one
    done = {index for index, _ in at_once}
    for index, job in enumerate(left):
        if index not in done:
            yield job, _measure(index, job.measurement, engine, store, progress.count_trainings)


def _group(measurements: list[tuple[int, Measurement]]) -> list[list[tuple[int, Measurement]]]:
    """Measurements that share draws together, in groups that are not too long."""
    by_share = sorted(measurements, key=lambda item: item[1].share)
    found = [list(group) for _, group in groupby(by_share, key=lambda item: item[1].share)]
    groups = [group[first : first + _MOST] for group in found for first in range(0, len(group), _MOST)]
    return sorted(groups, key=lambda group: group[0][0])


def _pack(index: int, measurement: Measurement, shared: dict[str, Dataset]) -> Packed:
    """A measurement without its data, which are sent once and not with every group."""
    data = measurement.dataset
    if data is None:
        return index, measurement, ""
    name = str((data.digest, data.name, describe(data.domain)))
    shared[name] = data
    return index, measurement.with_dataset(None), name


def _measure_group(shared: dict[str, Dataset], group: tuple[Packed, ...]) -> list[Measured]:
    """In a worker: draws that the group shares are kept while it lasts."""
    store, engine = MemoryStore(), LokyEngine(1)
    whole = ((index, one.with_dataset(shared[name]) if name else one) for index, one, name in group)
    return [_measure(index, one, engine, store, lambda *_: None) for index, one in whole]


def _measure(
    index: int, measurement: Measurement, engine: Engine, store: Store, count_trainings: ProgressFunction
) -> Measured:
    """One measurement; a refusal is an outcome, and says so in its row. Only an incomplete one ends the sweep."""
    began, drawing = time.process_time(), 0.0

    def progress(trainings: int, cpu_seconds: float) -> None:
        nonlocal drawing
        drawing += cpu_seconds
        count_trainings(trainings, cpu_seconds)

    try:
        values = measurement.measure(engine, store, progress)
    except Incomplete:
        raise
    except AuditError as error:
        values = {"error": str(error), "exit_code": error.exit_code}
    return Measured(index, values, time.process_time() - began + drawing)


def _put(results: SqliteResults, job: Job, values: Mapping[str, Any], cpu_seconds: float) -> None:
    results.put(job.key, job.position, Row(job.study, job.kind, job.settings, values, cpu_seconds))
