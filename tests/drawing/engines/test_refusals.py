"""Clusters, workers and options that are refused, each with one sentence."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mlaudit.cli import main
from mlaudit.drawing.engines.dask import DaskEngine
from mlaudit.drawing.engines.ray import RayEngine
from mlaudit.errors import AuditError, Incomplete, InvalidInput

pytestmark = pytest.mark.slow
CALL = "run laplace --epsilon 1 --rows 1 --trainings 200 --quiet"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--backend dask --address tcp://127.0.0.1:1", "Dask scheduler must be reachable"),
        ("--backend dask --address nowhere", "missing port number"),
        ("--backend ray --address 127.0.0.1:1", "Ray cluster must be reachable"),
        ("--backend ray --address nowhere", "Ray cluster must be reachable"),
        ("--backend daks", "no engine is called 'daks'; did you mean 'dask'?"),
        ("--address tcp://127.0.0.1:1", "--address is for an engine with a cluster"),
        ("--backend dask --jobs 0", "jobs must be a whole number of at least 1"),
    ],
)
def test_one_sentence(options: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(
        options.split()[1] if "--backend dask" in options or "--backend ray" in options else "mlaudit"
    )
    assert main(shlex.split(f"{CALL} {options}")) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(("engine", "package"), [(DaskEngine, "distributed"), (RayEngine, "ray")])
def test_an_extra_that_is_missing(engine: Any, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(AuditError, match=r"pip install 'mlaudit\[(dask|ray)\]'"):
        engine().connect()


@contextmanager
def scheduler(**options: Any) -> Iterator[str]:
    """A Dask scheduler that is not ours."""
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(dashboard_address="127.0.0.1:0", **options) as cluster:
        yield cluster.scheduler_address


@contextmanager
def odd_worker(address: str, folder: Path, what_is_odd: str) -> Iterator[None]:
    """A real worker process with something else installed."""
    (folder / "sitecustomize.py").write_text(what_is_odd, encoding="utf-8")
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    worker = subprocess.Popen(
        [*command, "--no-dashboard", "--local-directory", str(folder)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.parametrize(
    ("what_is_odd", "sentence"),
    [
        (
            "import mlaudit\nmlaudit.__version__ = '0.0.1'",
            r"workers must have mlaudit [\d.]+ as this process has, got 0\.0\.1; install the same there",
        ),
        (
            "import sys\nsys.modules['mlaudit'] = None",
            r"workers must have this mlaudit installed, got: .*; install the same versions there",
        ),
    ],
)
def test_a_worker_with_other_versions_is_refused(what_is_odd: str, sentence: str, tmp_path: Path) -> None:
    with (
        scheduler(n_workers=0) as address,
        odd_worker(address, tmp_path, what_is_odd),
        DaskEngine(address) as engine,
    ):
        engine._client.wait_for_workers(1, timeout=1200)
        with pytest.raises(InvalidInput, match=sentence):
            list(engine.map_unordered(abs, [1, 2]))


def test_workers_with_several_threads_are_refused() -> None:
    with (
        scheduler(n_workers=1, threads_per_worker=2, processes=False, protocol="tcp") as address,
        DaskEngine(address) as engine,
        pytest.raises(InvalidInput, match=r"one thread each, got 2 in tcp://.*; start them with --nthreads 1"),
    ):
        list(engine.map_unordered(abs, [1, 2]))


def test_a_cluster_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlaudit.drawing.engines.dask._PATIENCE", 1.0)
    with (
        scheduler(n_workers=0) as address,
        DaskEngine(address) as engine,
        pytest.raises(Incomplete, match="must have workers, got a scheduler with none"),
    ):
        list(engine.map_unordered(abs, [1, 2]))
