"""Worker processes on this machine (joblib's loky), one BLAS/OpenMP thread each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pickle import PicklingError
from typing import TypeVar

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
                yield from parallel(delayed(task)(item) for item in items)
            except PicklingError as error:
                raise InvalidInput(
                    f"a mechanism must be picklable to run in worker processes, got: {error}; "
                    "define it at a module's top level or use one job"
                ) from error
