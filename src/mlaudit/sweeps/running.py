"""Measuring cells: short ones whole in workers, long ones here with their trainings in workers.

Rows are committed one by one. What a worker had drawn of a short cell when it was killed is drawn again: the same
numbers, in seconds. Trainings of long cells are kept in the store as they come.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Protocol, cast

from mlaudit.describe import describe
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import AuditError, Incomplete
from mlaudit.protocols import Engine, Store
from mlaudit.sampling import Progress
from mlaudit.stores.memory import MemoryStore
from mlaudit.stores.results import SqliteResults
from mlaudit.sweeps.kinds._kind import Job
from mlaudit.sweeps.orders import Order
from mlaudit.types.dataset import Dataset
from mlaudit.types.row import Row

_MOST = 12  # cells of a group, so that a kill loses little and workers end together


class Watcher(Protocol):
    """Who is told how a sweep goes on."""

    def started(self, orders: Sequence[Order], jobs: int) -> None:
        """These are left to do."""

    def trained(self, trainings: int, cpu_seconds: float) -> None:
        """So many trainings more of the cell that is divided among workers."""

    def measured(self, order: Order, values: Mapping[str, Any], cpu_seconds: float) -> None:
        """A row was committed."""


@dataclass(frozen=True)
class Measured:
    """What came out of a cell."""

    place: int
    values: Mapping[str, Any]
    cpu_seconds: float


def run_orders(
    orders: Sequence[Order],
    results: SqliteResults,
    store: Store,
    engine: Engine,
    watcher: Watcher,
    *,
    jobs: int = 1,
) -> list[str]:
    """Measure whatever has no row yet; returns a sentence for every cell that failed."""
    left = []
    for order in orders:
        there = results.find(order.key)
        if there is None:
            left.append(order)
        else:  # for another study, perhaps, or at another place
            _put(results, order, there.values, there.cpu_seconds)
    watcher.started(left, jobs)
    failures = []
    for order, made in _measured(left, store, engine, watcher):
        _put(results, order, made.values, made.cpu_seconds)
        watcher.measured(order, made.values, made.cpu_seconds)
        if "error" in made.values:
            failures.append(f"{order.cell.study}, cell {order.cell.name}: {made.values['error']}")
    for study in {order.cell.study for order in orders}:
        results.keep(study, {order.key for order in orders if order.cell.study == study})
    return failures


def _measured(
    left: Sequence[Order], store: Store, engine: Engine, watcher: Watcher
) -> Iterator[tuple[Order, Measured]]:
    at_once = [(i, order) for i, order in enumerate(left) if order.job.at_once]
    shared: dict[str, Dataset] = {}
    groups = [tuple((i, _packed(order.job, shared)) for i, order in group) for group in _groups(at_once)]
    for group in engine.map_unordered(partial(_measure_group, shared), groups):
        for made in group:
            yield left[made.place], made
    for i, order in enumerate(left):
        if not order.job.at_once:
            yield order, _measure(i, order.job, engine, store, watcher.trained)


def _groups(orders: list[tuple[int, Order]]) -> Iterator[list[tuple[int, Order]]]:
    """Cells that share draws together, in pieces that are not too long."""
    by_share = sorted(orders, key=lambda item: item[1].job.share)
    found = (list(group) for _, group in groupby(by_share, key=lambda item: item[1].job.share))
    pieces = (group[first : first + _MOST] for group in found for first in range(0, len(group), _MOST))
    return iter(sorted(pieces, key=lambda piece: piece[0][0]))


def _packed(job: Job, shared: dict[str, Dataset]) -> tuple[Job, str]:
    """The job without its data, which travel once and not with every group, and the name they are found by."""
    data = getattr(job, "data", None)
    if data is None:
        return job, ""
    name = str((data.digest, data.name, describe(data.domain)))
    shared[name] = data
    return replace(cast(Any, job), data=None), name


def _measure_group(shared: dict[str, Dataset], group: tuple[tuple[int, tuple[Job, str]], ...]) -> list[Measured]:
    """In a worker: draws that its cells share are kept while it lasts."""
    store, engine = MemoryStore(), JoblibEngine(1)
    jobs = ((place, replace(cast(Any, job), data=shared[name]) if name else job) for place, (job, name) in group)
    return [_measure(place, job, engine, store, lambda *_: None) for place, job in jobs]


def _measure(place: int, job: Job, engine: Engine, store: Store, trained: Progress) -> Measured:
    """One cell; a refusal is an outcome, and says so in its row. Only what cannot go on ends the sweep."""
    began, drawing = time.process_time(), 0.0

    def progress(trainings: int, cpu_seconds: float) -> None:
        nonlocal drawing
        drawing += cpu_seconds
        trained(trainings, cpu_seconds)

    try:
        values = job.measure(engine, store, progress)
    except Incomplete:
        raise
    except AuditError as error:
        values = {"error": str(error), "exit_code": error.exit_code}
    spent = time.process_time() - began + drawing
    return Measured(place, values, spent)


def _put(results: SqliteResults, order: Order, values: Mapping[str, Any], cpu_seconds: float) -> None:
    cell = order.cell
    results.put(order.key, cell.place, Row(cell.study, cell.kind, cell.settings, values, cpu_seconds))
