"""Worker processes of a Dask cluster, one BLAS/OpenMP thread each."""

import asyncio
import logging
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from uuid import uuid4

from mlaudit.drawing.deaths import Lost
from mlaudit.drawing.engines._careful import Trainings
from mlaudit.drawing.engines._jobs import jobs_of
from mlaudit.drawing.engines._losses import Losses
from mlaudit.drawing.engines._parcel import Parcel, explain_missing_module, make_courier, pack_task
from mlaudit.drawing.engines._shield import hold_interrupts, shield_processes
from mlaudit.errors import Incomplete, InvalidInput, MissingExtra
from mlaudit.types.checks import text

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE = 120.0  # seconds to reach a scheduler that does not refuse, and for its first worker: machines may be busy
_RESTART = 600.0  # seconds for a worker to be started again after all have died
_POLL = 0.1  # seconds between two checks for workers
_SENDING = -1  # stands for the task itself among the positions of lost items
_PER_WORKER = 2  # submitted items: the next is there when one is done
# Settings of a cluster of our own: replicas of the task are meant, and nothing is to be taken away from workers.
_OURS = {"distributed.scheduler.active-memory-manager.start": False}
_SCHEDULER = {
    "allowed_failures": 0,  # lost items are counted, and submitted again, here
    "dashboard": False,
    "dashboard_address": "127.0.0.1:0",  # Dask opens it anyway: on a free port of this machine
}


@dataclass(frozen=True)
class DaskEngine:
    """Runs trainings on the Dask cluster whose scheduler is at `address`, or on one of its own with `jobs` workers.

    It connects once, before the first training. Use it in a `with` statement, or call `close()`, to end the workers
    that it started. A script that starts its own workers needs the guard `if __name__ == "__main__"`, because the
    workers import the script.

    >>> DaskEngine(jobs=0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: jobs must be a whole number of at least 1, got 0; give the number of worker processes
    """

    address: str = ""
    jobs: int = 2

    def __post_init__(self) -> None:
        jobs_of(self.jobs)
        text("address", self.address)

    def __enter__(self) -> "DaskEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def connect(self) -> None:
        """Connect to the cluster, or start one."""
        _ = self._client

    def close(self) -> None:
        """Disconnect, and end the cluster if it was started here; the next training connects again."""
        for name in ("_client", "_cluster"):
            opened = vars(self).pop(name, None)
            if opened is not None:
                with hold_interrupts():  # a second Ctrl-C must not leave half of it
                    opened.close()

    @cached_property
    def _client(self) -> Any:
        client = _distributed().Client
        if not self.address:
            return client(self._cluster, set_as_default=False)
        _refuse_deaf(self.address)
        return client(self.address, timeout=_PATIENCE, set_as_default=False)

    @cached_property
    def _cluster(self) -> Any:
        """The own cluster, started once; a nanny restarts each worker that dies."""
        import dask  # noqa: PLC0415 - an extra

        with dask.config.set(_OURS), shield_processes():
            return _distributed().LocalCluster(
                n_workers=self.jobs,
                host="127.0.0.1",  # who reaches a scheduler can run code: only this machine may
                threads_per_worker=1,
                memory_limit=0,  # a learner may take what there is, as it may without Dask
                silence_logs=logging.CRITICAL,
                scheduler_kwargs=_SCHEDULER,
            )

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield the results of task(item) in the order of completion; items of a worker that dies are repeated."""
        if not items:
            return
        distributed, client = _distributed(), self._client
        losses, careful = Losses(), isinstance(task, Trainings) and task.isolate
        sent = _SentTask(client, pack_task(task), losses, 0 if self.address else self.jobs)
        waiting = deque(enumerate(items))
        under_way: dict[Any, tuple[int, Item]] = {}
        done = distributed.as_completed([], loop=client.loop)
        try:
            while waiting or under_way:
                most = _PER_WORKER * sent.reach_all()
                while waiting and len(under_way) < most:
                    position, item = waiting.popleft()
                    future = sent.submit(item, careful=careful)
                    under_way[future] = position, item
                    done.add(future)
                future = next(done)
                position, item = under_way.pop(future)
                try:
                    result = _take_result(future)
                except (distributed.scheduler.KilledWorker, CancelledError):
                    result = Lost()
                if isinstance(result, Lost):
                    losses.count(position)
                    waiting.append((position, item))
                    careful = isinstance(task, Trainings)
                    continue
                losses.reset()
                yield result
        except (distributed.comm.CommClosedError, distributed.client.ClosedClientError, TimeoutError) as error:
            raise Incomplete(
                "the connection to the Dask scheduler was lost; finished trainings are kept; run the same command "
                "again to continue"
            ) from error
        finally:
            client.cancel(list(under_way))


@dataclass
class _SentTask:
    """A task in the memory of the workers, and which workers have it."""

    client: Any
    parcel: Parcel
    losses: Losses
    ours: int  # how many workers a cluster of our own is to have; 0 for another
    future: Any = None
    holders: set[str] = field(default_factory=set)
    deliver: Any = field(default_factory=make_courier)

    def reach_all(self) -> int:
        """Send the task to new workers and return how many workers there are."""
        threads = self._workers()
        _refuse_threads(threads)
        self.holders &= set(threads)
        if not self.holders:
            self.future = None  # no worker has the task any more
        new = set(threads) - self.holders
        if new:
            self._send(new)
        return len(threads)

    def _send(self, new: set[str]) -> None:
        name = self.future.key if self.future else f"mlaudit-{uuid4().hex}"
        payload = self.parcel.payload.tobytes()
        try:
            self.future = self.client.scatter({name: payload}, workers=list(new), broadcast=True)[name]
        # A worker has died meanwhile: it is unknown to the scheduler, cannot be reached, or was the last one.
        except (OSError, KeyError, ValueError):
            self.losses.count(_SENDING)
            self.reach_all()
        else:
            self.holders |= new

    def _workers(self) -> dict[str, int]:
        """The number of threads of each worker; waits for the first worker, or for a restart if all have died."""
        patience = _RESTART if self.holders or self.ours else _PATIENCE
        until = time.monotonic() + patience
        while True:
            threads = dict(self.client.nthreads())
            if len(threads) < self.ours:
                self.client.cluster.scale(self.ours)  # a nanny gives up when a worker dies while it starts
            if threads:
                return threads
            if time.monotonic() > until:
                raise Incomplete(
                    "the Dask cluster must have workers, got a scheduler with none; start some (dask worker "
                    "--nthreads 1) and run the same command again"
                )
            time.sleep(_POLL)

    def submit(self, item: Any, *, careful: bool) -> Any:
        """Submit one item to whichever worker is free."""
        parcel = self.parcel
        return self.client.submit(self.deliver, parcel.name, parcel.needs, self.future, item, careful, pure=False)


def _take_result(future: Any) -> Any:
    """Return the result of a worker, or raise its exception."""
    try:
        return future.result()
    except ModuleNotFoundError as error:
        raise explain_missing_module(error) from error
    finally:
        future.release()


def _refuse_deaf(address: str) -> None:
    """Try the address first: a client without a scheduler would block the exit of Python."""
    distributed = _distributed()

    async def meet() -> None:
        _refuse_nobody(address)
        options = distributed.Security().get_connection_args("client")
        (await distributed.comm.connect(address, timeout=_PATIENCE, **options)).abort()

    try:
        with ThreadPoolExecutor(1) as thread:  # this one may have a loop of its own, as in a notebook
            thread.submit(asyncio.run, meet()).result()
    except Exception as error:  # whatever another kind of server may answer
        raise InvalidInput(
            f"the Dask scheduler must be reachable at its address, tcp://HOST:PORT, got {address!r}: {error}; "
            "start it (dask scheduler) or leave the address out"
        ) from error


def _refuse_nobody(address: str) -> None:
    """Fail at once if nobody listens at the address: Dask would try again until the timeout."""
    addressing = _distributed().comm.addressing
    if addressing.parse_address(address)[0] in ("tcp", "tls"):
        with closing(socket.create_connection(addressing.get_address_host_port(address), timeout=_PATIENCE)):
            pass


def _refuse_threads(threads: dict[str, int]) -> None:
    """Refuse workers with several threads: learners may not share a process, and CPU seconds are per process."""
    for worker, count in threads.items():
        if count != 1:
            raise InvalidInput(
                f"Dask workers must have one thread each, got {count} in {worker}; start them with --nthreads 1"
            )


def _distributed() -> Any:
    try:
        import distributed  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("dask.distributed", "dask") from error
    return distributed
