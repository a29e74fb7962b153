"""Trainings that end their process: outputs of their own kind, the same by every engine."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence

from mlaudit import Claim, Dataset, LokyEngine, Pair, audit, scan
from mlaudit.adapters.convert import as_mechanism
from mlaudit.drawing.deaths import Death
from mlaudit.drawing.engines import _children, _fork
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines._messages import Answer
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.sampler import Sampler
from mlaudit.errors import Incomplete, InvalidInput, LearnerFailed
from mlaudit.protocols import Engine

PAIR = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))
LABELS = np.tile(np.array([1, 0]), 20)
End = dict[str, Callable[[], Any]]
SIGNALS: End = {"killed its process (SIGSEGV)": lambda: ctypes.string_at(0), "killed its process (SIGABRT)": os.abort}
EXITS: End = {
    "left its process (exit code 0)": lambda: os._exit(0),
    "left its process (exit code 3)": lambda: os._exit(3),
}


@pytest.fixture(scope="module", params=["one job", "loky", "dask", "ray"])
def any_engine(request: pytest.FixtureRequest) -> Engine:
    if request.param in ("one job", "loky"):
        return LokyEngine(1 if request.param == "one job" else 2)
    found: Engine = request.getfixturevalue(request.param)
    return found


def dying(ends: End) -> Callable[[Dataset, Generator], float]:
    """A learner that ends its process in half of its trainings, in each of the ways equally often."""
    ways = list(ends.values())

    def learner(data: Dataset, rng: Generator) -> float:
        z, way = float(data.X.sum() + rng.laplace()), rng.integers(2 * len(ways))
        if way < len(ways):
            ways[way]()
        return z

    return learner


def drawn(learner: Any, engine: Engine, budget: int = 30) -> tuple[list[str], list[float]]:
    sampler = Sampler(as_mechanism(learner, Claim(1.0)), PAIR, 7, DrawingLoop(engine), budget)
    draws = sampler(LABELS[:budget])
    return draws.kinds.tolist(), np.nan_to_num(draws.z[:, 0], nan=-1.0).tolist()


def expected(ends: End) -> tuple[list[str], list[float]]:
    """The same learner, with an exception for each of the ways in which it would end its process."""
    instead = (LookupError, ArithmeticError)

    def learner(data: Dataset, rng: Generator) -> float:
        z, way = float(data.X.sum() + rng.laplace()), rng.integers(2 * len(instead))
        if way < len(instead):
            raise instead[way]
        return z

    # Seeds come from a learner's name, among others: it has to be the same.
    learner.__qualname__ = dying(ends).__qualname__
    kinds, z = drawn(learner, InProcess(), len(LABELS))
    kind_of = {f"raised {error.__name__}": end for error, end in zip(instead, ends, strict=True)}
    return [kind_of.get(said, said) for said in kinds], z


@pytest.mark.parametrize("ends", [SIGNALS, EXITS], ids=["signals", "exits"])
@pytest.mark.slow
def test_an_output_of_its_own_kind_by_every_engine(ends: End, any_engine: Engine) -> None:
    kinds, z = drawn(dying(ends), any_engine, len(LABELS))
    # Chance that one of the four is not among 40 trainings, fixed by the seeds: 4 * 0.75 ** 40 = 4e-5.
    assert set(ends) <= set(kinds)
    assert (kinds, z) == expected(ends)


@pytest.mark.parametrize("answer", [KeyError("tcp://127.0.0.1:1"), ValueError("cannot delete"), OSError("closed")])
@pytest.mark.slow
def test_a_worker_that_dies_before_it_has_the_task(
    answer: Exception, dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Dask's scheduler says then depends on the moment; the task is sent again to the workers that are left."""
    scatter, said = dask._client.scatter, [answer]

    def scatter_after_a_death(*given: Any, **options: Any) -> Any:
        if said:
            raise said.pop()
        return scatter(*given, **options)

    monkeypatch.setattr(dask._client, "scatter", scatter_after_a_death)
    assert sorted(dask.map_unordered(abs, [-1, -2, -3])) == [1, 2, 3]
    assert not said


@pytest.mark.slow
def test_the_result_says_so() -> None:
    result = audit(dying(SIGNALS), pair=PAIR, claim=Claim(1.0), trainings=100, engine=LokyEngine(1))
    assert any("killed their process (SIGABRT): counted as an output" in note for note in result.provenance.notes)


@pytest.mark.slow
def test_a_learner_that_always_leaves_is_an_error() -> None:
    def leaves(data: Dataset, rng: Generator) -> float:
        os._exit(0)

    with pytest.raises(LearnerFailed, match=r"first 30 trainings failed.*\n.*left its process .exit code 0"):
        drawn(leaves, LokyEngine(1))


@pytest.mark.slow
def test_a_fatal_error_shows_where_it_happened() -> None:
    def crashes(data: Dataset, rng: Generator) -> float:
        return float(ctypes.string_at(0)[0])

    with pytest.raises(LearnerFailed, match=r"(?s)Segmentation fault.*in crashes"):
        drawn(crashes, LokyEngine(1))


@pytest.mark.slow
def test_a_kill_from_outside_is_no_output() -> None:
    def killed(data: Dataset, rng: Generator) -> float:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    with pytest.raises(Incomplete, match="3 times in a row"):
        drawn(killed, LokyEngine(1))


@pytest.mark.slow
def test_a_batch_that_ends_its_process() -> None:
    class Batched:
        claim = Claim(1.0)

        def domain(self, data: Dataset) -> None:
            return None

        def fit(self, data: Dataset, seed: SeedSequence) -> None:
            return None

        def summary(self, model: Any, target: Any) -> Any:
            return model

        def sample(self, data: Dataset, target: Any, n: int, seed: SeedSequence) -> Any:
            os._exit(0)

    with pytest.raises(LearnerFailed, match=r"sample\(\) left its process \(exit code 0\)"):
        drawn(Batched(), LokyEngine(1))


@pytest.mark.slow
def test_a_scan_of_a_learner_that_dies_for_one_row() -> None:
    def careless(data: Dataset, rng: Generator) -> float:
        if len(data) < 12:
            os.abort()
        return float(rng.laplace())

    data = Dataset(np.linspace(0.0, 1.0, 12))
    found = scan(careless, data, claim=Claim(1.0), pilot=10, trainings=100)
    assert any(leak.suspect.attribute.startswith("raised") for leak in found.above)


# One after the other, whoever runs them: the counter shows whether one process did all of them.
STATEFUL = """
calls = 0


def counting(data, rng):
    global calls
    calls += 1
    return calls + 1e-9 * rng.laplace()
"""


def module_of(name: str, source: str) -> ModuleType:
    """Only this process can import it, as a test file in pytest's importlib mode."""
    module = ModuleType(name)
    sys.modules[name] = module
    exec(source, module.__dict__)
    return module


@pytest.mark.slow
def test_isolated_trainings_do_not_see_each_other(any_engine: Engine) -> None:
    counting = module_of("only_here", STATEFUL).counting
    if any_engine == LokyEngine(1):
        assert max(drawn(counting, any_engine)[1]) > 2
    cloudpickle = pytest.importorskip("cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules["only_here"])
    assert np.round(drawn(counting, Isolated(any_engine))[1]).tolist() == [1.0] * 30


@pytest.mark.slow
def test_isolation_changes_no_number_of_a_learner_without_state() -> None:
    def honest(data: Dataset, rng: Generator) -> float:
        return float(data.X.sum() + rng.laplace())

    found = [
        audit(honest, pair=PAIR, claim=Claim(1.0), trainings=100, isolate=how).to_json() for how in (False, True)
    ]
    assert found[0] == found[1]


def test_what_cannot_be_packed_runs_here_and_cannot_be_isolated() -> None:
    lock, pids = threading.Lock(), set()

    def locked(data: Dataset, rng: Generator) -> float:
        with lock:
            pids.add(os.getpid())
            return float(rng.laplace())

    drawn(locked, LokyEngine(1))
    assert pids == {os.getpid()}
    with pytest.raises(InvalidInput, match="picklable to run in processes of its own"):
        drawn(locked, Isolated(LokyEngine(1)))


@pytest.mark.slow
def test_one_call_in_a_fresh_interpreter_or_in_a_fork() -> None:
    def three() -> int:
        return 3

    for apart in (_children.run_in_fresh_process, _fork.run_in_fork):
        answer = apart(three)
        assert isinstance(answer, Answer)
        assert answer.get() == 3
        death = apart(os.abort)
        assert isinstance(death, Death)
        assert death.code == -signal.SIGABRT


@pytest.mark.slow
def test_a_child_is_used_again() -> None:
    def pid(data: Dataset, rng: Generator) -> float:
        return float(os.getpid())

    first, second = drawn(pid, LokyEngine(1))[1], drawn(pid, LokyEngine(1))[1]
    assert set(first) == set(second)
    assert os.getpid() not in set(first)


@pytest.mark.parametrize("where", ["module", "fit"])
@pytest.mark.slow
def test_no_command_ends_without_a_word(where: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import subprocess

    at_import, at_fit = ("os._exit(0)", "pass") if where == "module" else ("pass", "os._exit(0)")
    source = f"import os\n{at_import}\ndef f(data, rng):\n    {at_fit}\n    return 0.0\n"
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    words = ["run", "mine.py:f", "--epsilon", "1", "--data", "iris", "--trainings", "100", "--quiet"]
    done = subprocess.run([sys.executable, "-m", "mlaudit", *words], cwd=tmp_path, check=False)
    printed = capfd.readouterr()
    assert (done.returncode, printed.out) == (2, "")
    assert "os._exit(0)" in printed.err if where == "module" else "left its process" in printed.err
