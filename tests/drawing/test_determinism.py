"""Same seed, same numbers, however it is run and however often it is killed."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.random import default_rng
from stored import count_stored

from mlaudit import AuditResult, Dataset, LokyEngine, SqliteStore, audit
from mlaudit.classifiers.logistic import Logistic
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.procedures.gdp_accuracy import GdpAccuracy
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.sequential import Sequential
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Engine, Procedure, Store
from mlaudit.types.domain import Box

pytestmark = pytest.mark.slow

LEARNER = """
import os
import time

from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 0.0, 0.0]), Dataset([0.0, 1.0, 0.0]))


def with_noise(scale):
    def slow_sum(data, rng):
        time.sleep(float(os.environ["SECONDS_A_TRAINING"]))
        return data.X.sum() + scale * rng.laplace()

    return slow_sum


slow_sum = with_noise(1.0)
"""
TRAININGS = 1000
PATIENCE = 600.0
PACE = 0.008  # seconds a training of a run that is to be killed: it must not end while this process waits


def audited(procedure: Procedure, engine: Engine, store: Store, *, seed: int = 3) -> AuditResult:
    """Several candidates, with a choice among them and a learner that draws one training at a time."""
    data = Dataset(default_rng(0).random((30, 2)), np.arange(30) % 2, Box([0, 0], [1, 1]))
    mechanism = Gaussian(2.0, 1e-3) if isinstance(procedure, GdpAccuracy) else Laplace(2.0)
    return audit(
        mechanism, data, rows=(1, 2), procedure=procedure, trainings=600, seed=seed, engine=engine, store=store
    )


# Two classifiers are a panel to Sequential: what it learns does not depend on who drew.
PROCEDURES = [Progressive(), TwoPhase(), GdpAccuracy(), Sequential((Logistic(0.1), Logistic()))]


@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda p: type(p).__name__)
def test_workers_and_stores_change_no_byte_of_a_result(procedure: Procedure, tmp_path: Path) -> None:
    expected = audited(procedure, LokyEngine(1), MemoryStore()).to_json()
    on_disk = SqliteStore(tmp_path / "draws.sqlite")
    assert audited(procedure, LokyEngine(2), MemoryStore()).to_json() == expected
    assert audited(procedure, LokyEngine(2), on_disk).to_json() == expected
    assert audited(procedure, LokyEngine(1), on_disk).to_json() == expected  # all of it from the store
    assert audited(procedure, LokyEngine(1), MemoryStore(), seed=4).to_json() != expected


@contextmanager
def run(folder: Path, jobs: int, pace: float = 0.0) -> Iterator[subprocess.Popen[str]]:
    """The command in a process group of its own, of which nothing is left behind."""
    # From its own folder: the result keeps the command as it was typed.
    command = [sys.executable, "-m", "mlaudit", "run", "learner.py:slow_sum", "--pair", "learner.py:pair"]
    options = ["--epsilon", "1", "--trainings", str(TRAININGS), "--seed", "11", "--quiet"]
    # A killed process leaves its temporary files behind.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "JOBLIB_TEMP_FOLDER": str(folder.parent)}
    with subprocess.Popen(
        [*command, *options, "--jobs", str(jobs), "--out", str(folder)],
        env={**environment, "SECONDS_A_TRAINING": str(pace)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        cwd=folder.parent,
    ) as process:
        try:
            yield process
        finally:
            kill_group(process)


def kill_group(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def finished(folder: Path, jobs: int) -> bytes:
    """The result of a run that nobody kills."""
    with run(folder, jobs) as process:
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, printed
    return (folder / "result.json").read_bytes()


def kept(folder: Path) -> int:
    """How many trainings the store holds; −1 before there is a store."""
    if not (folder / "draws.sqlite").exists():
        return -1
    try:
        db = sqlite3.connect(f"file:{folder / 'draws.sqlite'}?mode=ro", uri=True)
        try:
            return int(db.execute("SELECT coalesce(sum(n), 0) FROM blocks").fetchone()[0])
        finally:
            db.close()
    except sqlite3.OperationalError:
        return 0  # not yet a table, or locked for a moment


def kill_after(process: subprocess.Popen[str], folder: Path, trainings: int, delay: float) -> None:
    """Kill it and its workers once so many trainings are kept, and a moment later."""
    end = time.monotonic() + PATIENCE
    while kept(folder) < trainings and process.poll() is None:
        assert time.monotonic() < end, "the run neither draws nor ends"
        time.sleep(0.01)
    time.sleep(delay)
    if process.poll() is None:
        kill_group(process)
    printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, -signal.SIGKILL), printed


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    (folder.parent / "learner.py").write_text(LEARNER)
    return finished(folder, jobs=1)


@pytest.mark.parametrize(("jobs", "schedule"), [(1, 1), (2, 2)])
def test_a_run_killed_again_and_again_ends_with_the_same_bytes(
    jobs: int, schedule: int, undisturbed: bytes, tmp_path: Path
) -> None:
    folder, dice = tmp_path / "run", random.Random(schedule)
    (tmp_path / "learner.py").write_text(LEARNER)
    schedule_of_kills = [0, *sorted(dice.sample(range(1, TRAININGS // 2), 2))]  # the first one at the store's birth
    so_far, killed = 0, 0
    for trainings in schedule_of_kills:
        with run(folder, jobs, PACE) as process:
            kill_after(process, folder, trainings, dice.uniform(0, 0.2))
        killed += process.returncode == -signal.SIGKILL
        assert kept(folder) >= max(trainings, so_far)
        so_far = kept(folder)
    assert killed >= 2
    assert finished(folder, jobs) == undisturbed
    # Two streams that count, and two of pairs with common seeds.
    assert count_stored(folder) == (4, TRAININGS)
