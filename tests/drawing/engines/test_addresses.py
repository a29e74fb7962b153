"""A user's own file on the command line, on clusters by their address."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mlaudit.cli import main
from mlaudit.drawing.engines.dask import DaskEngine
from mlaudit.drawing.engines.ray import RayEngine
from mlaudit.errors import InvalidInput

pytestmark = pytest.mark.slow
MINE = """
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def noisy_sum(data, rng):
    return data.X.sum() + rng.laplace()
"""
CALL = "run mine.py:noisy_sum --epsilon 1 --pair mine.py:pair --classifier logistic --trainings 200 --quiet"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def same_as_one_process(here: Path, options: str, **variables: str) -> None:
    """A command of its own, on a cluster that was there before and is there afterwards."""
    command = [sys.executable, "-m", "mlaudit", *shlex.split(f"{CALL} {options} --out there")]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | variables, timeout=1200, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert main([*shlex.split(CALL), "--out", "here"]) == 0
    assert (here / "there" / "result.json").read_bytes() == (here / "here" / "result.json").read_bytes()


def test_a_user_s_own_file_on_a_dask_cluster(dask: DaskEngine, here: Path) -> None:
    address = dask._client.scheduler.address
    same_as_one_process(here, f"--backend dask --address {address}")
    assert sorted(dask.map_unordered(abs, [-1, 2])) == [1, 2]


def test_a_user_s_own_file_on_a_ray_cluster(ray: RayEngine, here: Path) -> None:
    address = ray._ray.get_runtime_context().gcs_address
    # What anybody needs for a cluster on loopback that wants a token.
    known = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": ray.token, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    same_as_one_process(here, f"--backend ray --address {address}", **known)
    assert sorted(ray.map_unordered(abs, [-1, 2])) == [1, 2]


def test_one_ray_cluster_a_process(ray: RayEngine) -> None:
    ray.connect()
    with pytest.raises(InvalidInput, match=r"one Ray cluster only.* got '127\.0\.0\.1:1'"):
        RayEngine("127.0.0.1:1").connect()
    with RayEngine() as again:  # uses the one that is there, and leaves it
        assert sorted(again.map_unordered(abs, [-1, 2])) == [1, 2]
    assert sorted(ray.map_unordered(abs, [-1, 2])) == [1, 2]
