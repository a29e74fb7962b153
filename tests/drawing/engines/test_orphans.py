"""Nobody outlives a command that was killed, and nobody from outside reaches what it started."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

import pytest
from processes import descendants, listening, session

from mlaudit.drawing.engines.dask import DaskEngine
from mlaudit.drawing.engines.ray import RayEngine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

# Longer than any deadline: a worker that is not ended sleeps on.
MINE = """
import pathlib, time
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def sleeps(data, rng):
    pathlib.Path("asleep").touch()
    time.sleep(3600)
    return 0.0
"""
CALL = "run mine.py:sleeps --pair mine.py:pair --epsilon 1 --trainings 200 --quiet"
_DEADLINE = 600.0


def until(ready: Callable[[], bool], why: str) -> None:
    deadline = time.monotonic() + _DEADLINE
    while not ready():
        assert time.monotonic() < deadline, why
        time.sleep(0.05)


@pytest.mark.parametrize(
    "options",
    ["--jobs 1", "--jobs 1 --isolate", "--jobs 2", "--jobs 2 --isolate", "--backend dask --jobs 2", "--backend ray"],
)
@pytest.mark.slow
def test_nobody_outlives_a_killed_command(options: str, tmp_path: Path) -> None:
    for package in ("dask", "ray"):
        if package in options:
            pytest.importorskip(package, reason=f"the extra `{package}` is not installed")
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    command = [sys.executable, "-m", "mlaudit", *shlex.split(f"{CALL} {options}")]
    nowhere = subprocess.DEVNULL
    running = subprocess.Popen(command, cwd=tmp_path, stdout=nowhere, stderr=nowhere, start_new_session=True)
    try:
        until(lambda: (tmp_path / "asleep").exists() or running.poll() is not None, "it must start")
        assert running.poll() is None
        assert len(session(running.pid)) > 1
        running.kill()
        running.wait()
        until(lambda: not session(running.pid), f"left behind: {session(running.pid)}")
    finally:
        for pid in session(running.pid):
            os.kill(pid, signal.SIGKILL)
        running.kill()
        running.wait()


@pytest.mark.slow
def test_a_dask_cluster_of_our_own_listens_on_loopback_only(dask: DaskEngine) -> None:
    assert sorted(dask.map_unordered(abs, [-1, 2])) == [1, 2]
    only_loopback()


@pytest.mark.slow
def test_a_ray_cluster_of_our_own_listens_on_loopback_only(ray: RayEngine) -> None:
    assert sorted(ray.map_unordered(abs, [-1, 2])) == [1, 2]
    only_loopback()


def only_loopback() -> None:
    found = listening(descendants(os.getpid()))
    assert found, "a cluster listens somewhere"
    assert [address for address in found if not ip_address(address).is_loopback] == []


@pytest.mark.slow
def test_a_ray_cluster_of_our_own_wants_its_token(ray: RayEngine) -> None:
    address = ray._ray.get_runtime_context().gcs_address
    program = f"import ray; ray.init({address!r}); print(ray.get(ray.remote(lambda: 'inside').remote()))"
    there = {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_NUM_REDIS_GET_RETRIES": "3"}
    with_token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": ray.token}
    for more, inside in (({"RAY_AUTH_MODE": "disabled"}, False), (with_token, True)):
        done = subprocess.run(
            [sys.executable, "-c", program], env=there | more, capture_output=True, text=True, check=False
        )
        assert ("inside" in done.stdout) is inside
        assert (done.returncode == 0) is inside
