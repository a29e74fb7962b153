"""Worker processes on this machine (joblib's loky), one BLAS/OpenMP thread each."""

import os
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.resource_tracker import ensure_running
from pickle import PicklingError
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import whole

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class JoblibEngine:
    """Runs trainings in `jobs` processes of this machine; with one, in this very process.

    >>> sorted(JoblibEngine(jobs=1).map_unordered(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        whole("jobs", self.jobs, 1, "give the number of worker processes")

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of task(item), in whatever order they come."""
        if self.jobs == 1 or len(items) < 2:
            yield from map(task, items)
            return
        with parallel_config("loky", inner_max_num_threads=1):
            parallel = Parallel(n_jobs=self.jobs, return_as="generator_unordered", batch_size=1)
            try:
                with _shielded():
                    results = parallel(delayed(task)(item) for item in items)
                try:
                    for result in results:  # noqa: UP028 - must be closed by us, without a warning
                        yield result
                finally:
                    _close(results)
            except PicklingError as error:
                raise InvalidInput(
                    f"a mechanism must be picklable to run in worker processes, got: {error}; "
                    "define it at a module's top level or use one job"
                ) from error


def _close(results: Any) -> None:
    """Whoever stops early means it: joblib would warn about the tasks that were under way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        results.close()


@contextmanager
def _shielded() -> Iterator[None]:
    """Processes started inside never see Ctrl-C: the parent does, once, and ends them without a traceback each."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    told = os.environ.get("PYTHONWARNINGS")
    # The process that cleans up behind loky warns when it is left something to do, as it may be after Ctrl-C.
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (told, "ignore:resource_tracker:UserWarning")))
    ensure_running()  # unblocks SIGINT when it starts, so it must have started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        del os.environ["PYTHONWARNINGS"]
        if told is not None:
            os.environ["PYTHONWARNINGS"] = told
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # last: a held Ctrl-C is raised here
