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

from mlaudit.deaths import Lost
from mlaudit.engines._careful import Trainings
from mlaudit.engines._children import one_by_one
from mlaudit.engines._jobs import jobs_of
from mlaudit.engines._losses import Losses
from mlaudit.engines._parcel import Parcel, pack, run
from mlaudit.engines._shield import before_interrupt, shielded
from mlaudit.engines._watch import end_with

Item = TypeVar("Item")
Result = TypeVar("Result")

_NO_MORE: Any = object()


@dataclass(frozen=True)
class JoblibEngine:
    """Runs trainings in `jobs` processes of this machine.

    With one job a learner of the user's own runs in a child process, which imports its module anew; shipped learners,
    and those that cannot be packed for another process, run in this very process.

    >>> sorted(JoblibEngine(jobs=1).map_unordered(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        jobs_of(self.jobs)

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of task(item), in whatever order they come; what a lost worker had is done again."""
        if self.jobs == 1 or len(items) < 2:
            yield from one_by_one(task, items)
            return
        parcel, losses, left = pack(task), Losses(), dict(enumerate(items))
        careful = isinstance(task, Trainings) and task.isolate
        while left:
            try:
                with closing(self._attempt(parcel, list(left.items()), careful=careful)) as attempt:
                    for place, result in attempt:
                        if isinstance(result, Lost):
                            losses.count(place)
                            continue
                        losses.came_back()
                        del left[place]
                        yield result
            except TerminatedWorkerError:
                losses.count(*left)  # joblib starts all workers anew
                careful = isinstance(task, Trainings)

    def _attempt(
        self, parcel: Parcel, left: list[tuple[int, Any]], *, careful: bool
    ) -> Generator[tuple[int, Any], None, None]:
        """Each result with the place of its item, until all are done or a worker dies."""
        # loky replaces a worker that has grown, and says so from a thread of its own; nothing is lost by it.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        with parallel_config("loky", inner_max_num_threads=1, initializer=end_with, initargs=(os.getpid(),)):
            # With `max_nbytes` joblib writes the payload to a file once, and workers map it.
            parallel = Parallel(n_jobs=self.jobs, return_as="generator_unordered", batch_size=1, max_nbytes=1)
            results: Any = None
            done = False
            try:
                with shielded():
                    results = parallel(delayed(_placed)(parcel, place, item, careful) for place, item in left)
                while not done:
                    with before_interrupt(partial(_kill_workers, parallel)):
                        result = next(results, _NO_MORE)
                    done = result is _NO_MORE
                    if not done:
                        yield result
            finally:
                if not done:
                    _kill_workers(parallel)
                _close(results)


def _placed(parcel: Parcel, place: int, item: Any, careful: bool) -> tuple[int, Any]:
    return place, run(parcel.name, parcel.needs, parcel.payload, item, careful)


def _kill_workers(parallel: Any) -> None:
    """Before joblib takes away what they need: one that is still starting would print a traceback about it."""
    _kill(getattr(getattr(parallel, "_backend", None), "_workers", None))


def end_workers() -> None:
    """All of this process, at its end: one may still be starting while another has done all the work."""
    _kill(getattr(reusable_executor, "_executor", None))


def _kill(executor: Any) -> None:
    for pid in list(getattr(executor, "_processes", None) or ()):
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


def _close(results: Any) -> None:
    """Whoever stops early means it: joblib would warn about the tasks that were under way."""
    if results is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        results.close()
