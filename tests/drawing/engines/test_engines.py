"""Every engine: the same bytes as one process, whoever dies meanwhile; the data travel once."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from mlaudit import AuditResult, Claim, Dataset, LokyEngine, Pair, audit
from mlaudit.classifiers.logistic import Logistic
from mlaudit.datasets._load import load_data
from mlaudit.errors import Incomplete, InvalidInput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Engine

pytestmark = pytest.mark.slow
# Functions in functions travel by value: workers cannot import this file.


def audited(engine: Engine, data: Dataset) -> AuditResult:
    """A real library's own fit for every training, with a choice among candidates."""
    return audit(
        NaiveBayes(1.0),
        data,
        rows=(1, 2),
        procedure=Progressive((Logistic(),)),
        trainings=240,
        seed=2,
        sampler="library",
        engine=engine,
    )


@pytest.fixture(scope="module")
def iris() -> Dataset:
    pytest.importorskip("diffprivlib", reason="the extra `diffprivlib` is not installed")
    return load_data("iris")


@pytest.fixture(scope="module")
def expected(iris: Dataset) -> str:
    return audited(LokyEngine(1), iris).to_json()


def plainly_audited(engine: Engine) -> AuditResult:
    """A function, so that workers which start again need not import a library."""

    def noisy_sum(data: Dataset, rng: Generator) -> float:
        return float(data.X.sum() + rng.laplace())

    pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))
    procedure = Progressive((Logistic(),))
    return audit(noisy_sum, pair=pair, claim=Claim(1.0), procedure=procedure, trainings=240, engine=engine)


@pytest.fixture(scope="module")
def plainly_expected() -> str:
    return plainly_audited(LokyEngine(1)).to_json()


_DEADLY = (1, 3)  # a call with one item may stay in this process: the second of these may not be reached


@dataclass
class Deadly:
    """Kills workers in the middle of some of the first items, each of them once."""

    engine: Engine
    folder: Path
    items: int = 0

    def map_unordered(self, task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        start, marks, parent, deadly = self.items, str(self.folder), os.getpid(), _DEADLY
        self.items += len(items)

        def run(numbered: tuple[int, Any]) -> Any:
            number, item = numbered
            mark = os.path.join(marks, str(number))
            if number in deadly and os.getpid() != parent and not os.path.exists(mark):
                open(mark, "x").close()
                os.kill(os.getpid(), signal.SIGKILL)
            return task(item)

        return self.engine.map_unordered(run, list(enumerate(items, start)))


@dataclass
class Killing:
    """Kills the worker that has just brought a result, while the next is under way; tells whom.

    Where that worker has gone meanwhile, as with an executor that was replaced, the next result's is killed instead.
    """

    engine: Engine
    after: tuple[int, ...]
    killed: list[int] = field(default_factory=list)

    def map_unordered(self, task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        def run(item: Any) -> Any:
            return os.getpid(), task(item)

        due = list(self.after)
        for number, (pid, result) in enumerate(self.engine.map_unordered(run, items)):
            if due and number >= due[0] and pid not in self.killed:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed.append(pid)
                    due.pop(0)
            yield result


def test_the_bytes_of_one_process(engine: Engine, iris: Dataset, expected: str) -> None:
    assert audited(engine, iris).to_json() == expected


def test_the_same_bytes_though_workers_die_in_their_trainings(
    engine: Engine, plainly_expected: str, tmp_path: Path
) -> None:
    assert plainly_audited(Deadly(engine, tmp_path)).to_json() == plainly_expected
    assert len(list(tmp_path.iterdir())) >= 1, "workers must have been killed"


def test_every_item_comes_back_once_though_workers_are_killed_from_outside(engine: Engine) -> None:
    def slowly(item: int) -> int:
        time.sleep(0.02)
        return item

    killing = Killing(engine, after=(3, 20))
    assert sorted(killing.map_unordered(slowly, range(40))) == list(range(40))
    assert len(set(killing.killed)) == 2
    assert os.getpid() not in killing.killed


def test_workers_that_keep_dying(engine: Engine) -> None:
    def dies(item: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return item

    with pytest.raises(Incomplete, match=r"3 times in a row without a result.* memory .*finished trainings are kept"):
        list(engine.map_unordered(dies, range(2)))
    assert sorted(engine.map_unordered(abs, range(4))) == list(range(4)), "and the engine can still be used"


def test_data_travel_once(engine: Engine, tmp_path: Path) -> None:
    packed, opened = tmp_path / "packed", tmp_path / "opened"

    class Heavy:
        """Notes in files how often it is packed, and how often it is opened."""

        def __init__(self) -> None:
            self.data = np.arange(500_000.0)

        def __getstate__(self) -> dict[str, Any]:
            with packed.open("a") as file:
                file.write(f"{os.getpid()}\n")
            return vars(self)

        def __setstate__(self, state: dict[str, Any]) -> None:
            with opened.open("a") as file:
                file.write(f"{os.getpid()}\n")
            vars(self).update(state)

        def __call__(self, item: int) -> tuple[int, float]:
            time.sleep(0.005)
            return os.getpid(), float(self.data[item])

    results = list(engine.map_unordered(Heavy(), range(60)))
    assert sorted(value for _, value in results) == list(range(60))
    assert packed.read_text().split() == [str(os.getpid())]
    workers, at = {str(pid) for pid, _ in results}, opened.read_text().split()
    # A worker that begins late may find that the other has done everything.
    assert workers <= set(at)
    assert len(at) == len(set(at)) <= 2


def test_what_a_worker_raises_is_raised_here(engine: Engine) -> None:
    def refuses(item: int) -> int:
        raise InvalidInput(f"rows must be at least 1, got {item}; give more")

    with pytest.raises(InvalidInput) as raised:
        list(engine.map_unordered(refuses, [0, 0]))
    assert str(raised.value) == "rows must be at least 1, got 0; give more"


def test_one_may_stop_early_and_go_on(engine: Engine) -> None:
    def slowly(item: int) -> int:
        time.sleep(0.01)
        return item

    results = engine.map_unordered(slowly, range(100))
    assert next(results) in range(100)
    results.close()  # type: ignore[attr-defined]  # all engines give generators
    assert list(engine.map_unordered(slowly, [])) == []
    assert sorted(engine.map_unordered(slowly, [5, 6])) == [5, 6]


def test_one_thread_in_workers(engine: Engine) -> None:
    def threads(item: int) -> int:
        import threadpoolctl

        np.linalg.norm(np.ones((2, 2)) @ np.ones((2, 2)))
        return max(int(library["num_threads"]) for library in threadpoolctl.threadpool_info())

    assert set(engine.map_unordered(threads, range(4))) == {1}


def test_what_cannot_be_packed(engine: Engine) -> None:
    lock = threading.Lock()

    def locked(item: int) -> int:
        with lock:
            return item

    with pytest.raises(InvalidInput, match="must be picklable"):
        list(engine.map_unordered(locked, range(2)))
