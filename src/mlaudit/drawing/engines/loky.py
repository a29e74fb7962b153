"""Worker processes on this machine (joblib's loky), one BLAS/OpenMP thread each."""

import os
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from mlaudit.drawing.deaths import Lost
from mlaudit.drawing.engines._careful import Trainings
from mlaudit.drawing.engines._children import run_one_by_one
from mlaudit.drawing.engines._jobs import jobs_of
from mlaudit.drawing.engines._losses import Losses
from mlaudit.drawing.engines._parcel import Parcel, pack_task, run_item
from mlaudit.drawing.engines._shield import act_before_interrupt, shield_processes
from mlaudit.drawing.engines._watch import end_with

Item = TypeVar("Item")
Result = TypeVar("Result")

_NO_MORE: Any = object()


@dataclass(frozen=True)
class LokyEngine:
    """Runs trainings in `jobs` processes of this machine.

    With one job, your own learner runs in one child process, which imports the learner's module. Shipped
    learners run in this process, and so do learners that cannot be pickled.

    Args:
        jobs: The number of worker processes. The number of jobs changes no result.

    Raises:
        InvalidInput: If `jobs` is not a whole number of at least 1.

    Example:
        >>> sorted(LokyEngine(jobs=1).map_unordered(abs, [-1, 2, -3]))
        [1, 2, 3]
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        jobs_of(self.jobs)

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield the results of task(item) in the order of completion; items of a worker that dies are repeated.

        Args:
            task: A function of one item.
            items: The arguments of the function.

        Yields:
            The result of each item, once.

        Raises:
            Incomplete: If a worker ends three times in a row without a result.
        """
        if self.jobs == 1 or len(items) < 2:
            yield from run_one_by_one(task, items)
            return
        parcel, losses, left = pack_task(task), Losses(), dict(enumerate(items))
        careful = isinstance(task, Trainings) and task.isolate
        while left:
            try:
                with closing(self._run_until_loss(parcel, list(left.items()), careful=careful)) as attempt:
                    for position, result in attempt:
                        if isinstance(result, Lost):
                            losses.count(position)
                            continue
                        losses.reset()
                        del left[position]
                        yield result
            except TerminatedWorkerError:
                losses.count(*left)  # joblib starts all workers anew
                careful = isinstance(task, Trainings)

    def _run_until_loss(
        self, parcel: Parcel, left: list[tuple[int, Any]], *, careful: bool
    ) -> Generator[tuple[int, Any], None, None]:
        """Yield each result with the position of its item, until all are done or a worker dies."""
        # loky replaces a worker that has grown, and says so from a thread of its own; nothing is lost by it.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        with parallel_config("loky", inner_max_num_threads=1, initializer=end_with, initargs=(os.getpid(),)):
            # With `max_nbytes` joblib writes the payload to a file once, and workers map it.
            parallel = Parallel(n_jobs=self.jobs, return_as="generator_unordered", batch_size=1, max_nbytes=1)
            results: Any = None
            done = False
            try:
                with shield_processes():
                    results = parallel(
                        delayed(_run_positioned)(parcel, position, item, careful) for position, item in left
                    )
                while not done:
                    with act_before_interrupt(partial(_kill_workers, parallel)):
                        result = next(results, _NO_MORE)
                    done = result is _NO_MORE
                    if not done:
                        yield result
            finally:
                if not done:
                    _kill_workers(parallel)
                _close(results)


def _run_positioned(parcel: Parcel, position: int, item: Any, careful: bool) -> tuple[int, Any]:
    return position, run_item(parcel.name, parcel.needs, parcel.payload, item, careful)


def _kill_workers(parallel: Any) -> None:
    """Kill the workers before joblib removes their files: a worker that is still starting would print a traceback."""
    _kill(getattr(getattr(parallel, "_backend", None), "_workers", None))


def end_workers() -> None:
    """End all workers of this process when it ends: one may still be starting while another has done all the work."""
    _kill(getattr(reusable_executor, "_executor", None))


def _kill(executor: Any) -> None:
    silence_thread(getattr(executor, "_executor_manager_thread", None))
    for pid in list(getattr(executor, "_processes", None) or ()):
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


def silence_thread(thread: Any) -> None:
    """Let a thread of loky end without a traceback: it may find its tasks gone, since they are dropped on purpose."""
    if thread is not None:
        thread._invoke_excepthook = lambda *_: None  # noqa: SLF001 - the hook of this thread alone; there is no other


def _close(results: Any) -> None:
    """Close without the warning of joblib about unfinished tasks: the caller stops on purpose."""
    if results is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        results.close()
