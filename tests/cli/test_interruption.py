"""Ctrl-C and a full disk: one sentence, exit code 4, and the same command finishes with the same bytes."""

import os
import resource
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest
from stored import count_stored

from mlaudit.cli import main

pytestmark = pytest.mark.slow

MINE = """
import os
import time
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def slow(data, rng):
    time.sleep(float(os.environ.get("SECONDS_A_TRAINING", "0")))
    return data.X.sum() + rng.laplace()


def wide(data, rng):
    return data.X.sum() + rng.laplace(size=50)
"""
# What a full disk is to SQLite: a file that cannot grow.
LIMITED = """
import resource, signal, sys
from mlaudit.cli import entry

signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal, also where tests run in the background
most = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
del sys.argv[1]
entry()
"""
PATIENCE = 600.0
CALL = "run mine.py:slow --epsilon 1 --pair mine.py:pair --classifier logistic --trainings 1000"
STORED = (2, 1000)  # streams and trainings


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_a_command: None) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """The result of a call that nothing happens to; it is the same for any number of jobs."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")

    @cache
    def result_of(call: str) -> bytes:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setattr(sys, "path", list(sys.path))
            assert main([*shlex.split(call), "--jobs", "2", "--out", str(len(list(folder.iterdir())))]) == 0
        return max(folder.glob("*/result.json"), key=lambda path: int(path.parent.name)).read_bytes()

    return result_of


@contextmanager
def started(call: str, most: int = -1) -> Iterator[subprocess.Popen[str]]:
    """In a process group of its own, as a shell starts a command; no file may grow beyond `most` bytes."""
    # So slow that it does not end while this process waits for its turn.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "SECONDS_A_TRAINING": "0.02"}
    command = [sys.executable, "-c", LIMITED, str(most), *shlex.split(call)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, process_group=0) as running:
        try:
            yield running
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def blocks(store: Path) -> int:
    """How many blocks have been kept so far."""
    if not store.exists():
        return 0
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
        return int(db.execute("SELECT count(*) FROM blocks").fetchone()[0])
    except sqlite3.Error:  # it is just being made
        return 0
    finally:
        db.close()


def until(ready: Callable[[], bool], running: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not ready():
        assert running.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def interrupted(running: subprocess.Popen[str]) -> None:
    """Ctrl-C reaches every process of the group; only one sentence comes back, and nobody stays behind."""
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (4, "")
    assert err == "mlaudit: interrupted; finished trainings are kept; run the same command again to continue\n"
    deadline = time.monotonic() + PATIENCE
    while group_lives(running.pid):
        assert time.monotonic() < deadline, "workers outlive the command"
        time.sleep(0.05)


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_while_training(jobs: int, here: Path, whole: Callable[[str], bytes]) -> None:
    call = f"{CALL} --jobs {jobs}"
    with started(f"{call} --out cut") as running:
        until(lambda: blocks(here / "cut" / "draws.sqlite") > 2, running)
        interrupted(running)
    assert blocks(here / "cut" / "draws.sqlite") > 2
    assert not (here / "cut" / "result.json").exists()

    assert main([*shlex.split(call), "--out", "cut"]) == 0
    assert count_stored(here / "cut") == STORED
    assert (here / "cut" / "result.json").read_bytes() == whole(CALL)


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_ctrl_c_on_a_cluster_and_another_engine_goes_on(
    backend: str, here: Path, whole: Callable[[str], bytes]
) -> None:
    pytest.importorskip(backend, reason=f"the extra `{backend}` is not installed")
    with started(f"{CALL} --jobs 2 --backend {backend} --out cut") as running:
        until(lambda: blocks(here / "cut" / "draws.sqlite") > 2, running)
        interrupted(running)
    assert blocks(here / "cut" / "draws.sqlite") > 2
    assert main([*shlex.split(CALL), "--out", "cut"]) == 0
    assert count_stored(here / "cut") == STORED
    assert (here / "cut" / "result.json").read_bytes() == whole(CALL)


def test_ctrl_c_while_workers_are_starting(here: Path) -> None:
    """They are busy importing then, which is where an interrupt would show a traceback each."""
    for attempt in range(2):
        with started(f"{CALL} --jobs 2 --out run{attempt}") as running:
            # The manager of loky's shared resources is the first child; its workers come right after it.
            until(lambda: len(children(running.pid)) > 1, running)
            time.sleep(0.05 + 0.1 * attempt)
            interrupted(running)


# Where Python cannot raise: importing a module ends with such a callback, which is where many Ctrl-Cs land.
LANDS_IN_A_CALLBACK = """
import os, signal, weakref


class Lock:
    pass


def callback(_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):  # Python looks for signals between its steps
        pass


lock = Lock()
watch = weakref.ref(lock, callback)
del lock
from mine import pair, slow
"""


def test_ctrl_c_in_a_callback_is_not_lost(here: Path) -> None:
    (here / "late.py").write_text(LANDS_IN_A_CALLBACK, encoding="utf-8")
    with started(CALL.replace("mine.py", "late.py") + " --out run") as running:
        out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (4, "")
    assert err == "mlaudit: interrupted; finished trainings are kept; run the same command again to continue\n"


def children(parent: int) -> list[str]:
    found = Path(f"/proc/{parent}/task/{parent}/children")
    return found.read_text().split() if found.exists() else []


@pytest.mark.parametrize("jobs", [1, 2])
def test_full_disk_while_drawing(jobs: int, here: Path, whole: Callable[[str], bytes]) -> None:
    call = f"{CALL} --jobs {jobs}".replace("slow", "wide")
    with started(f"{call} --out cut", most=200_000) as running:
        out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (4, "")
    assert err.startswith("mlaudit: cut/draws.sqlite must have room for more, got: ")
    assert "run the same command again" in err
    assert err.count("\n") == 1
    assert blocks(here / "cut" / "draws.sqlite") > 0, "finished trainings are kept"

    assert main([*shlex.split(call), "--out", "cut"]) == 0
    assert count_stored(here / "cut")[0] == 4, "streams, of which two repeat the violation"
    assert (here / "cut" / "result.json").read_bytes() == whole(CALL.replace("slow", "wide"))


def test_full_disk_for_the_result(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The draws are all there; only the result finds no room."""
    call = shlex.split(f"{CALL} --out run")
    assert main(call) == 0
    result = here / "run" / "result.json"
    whole = result.read_bytes()
    result.unlink()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    capsys.readouterr()
    with closing(sqlite3.connect(here / "run" / "draws.sqlite")) as reader:
        reader.execute("SELECT count(*) FROM blocks").fetchone()  # while somebody reads it, SQLite needs no new file
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            code = main(call)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    printed = capsys.readouterr()
    assert (code, printed.out) == (4, "")
    assert printed.err.startswith("mlaudit: the result cannot be written: ")
    assert printed.err.count("\n") == 1
    assert not result.exists()
    assert main(call) == 0
    assert result.read_bytes() == whole
