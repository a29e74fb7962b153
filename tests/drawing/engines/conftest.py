"""Real clusters with worker processes of their own, started once for all files of tests that use them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlaudit import LokyEngine
from mlaudit.drawing.engines.dask import DaskEngine
from mlaudit.drawing.engines.ray import RayEngine
from mlaudit.protocols import Engine

_HERE, _WITHOUT = Path(__file__).parent, "test_refusals.py"  # which connects to addresses of its own
_STARTED: list[DaskEngine | RayEngine] = []


@pytest.fixture(scope="session")
def dask() -> Iterator[DaskEngine]:
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with DaskEngine(jobs=2) as engine:
        _STARTED.append(engine)
        yield engine


@pytest.fixture(scope="session")
def ray() -> Iterator[RayEngine]:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    with RayEngine(jobs=2) as engine:
        _STARTED.append(engine)
        yield engine


@pytest.hookimpl(trylast=True)  # after what the test has patched
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Clusters end with the last test of this folder that may use them: idle ones cost a tenth of a core.

    A test that comes back to one, as another worker's of pytest may, starts it again.
    """
    if nextitem is None or nextitem.path.parent != _HERE or nextitem.path.name == _WITHOUT:
        for engine in _STARTED:
            engine.close()


@pytest.fixture(scope="module", params=["loky", "dask", "ray"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the engines, with two workers."""
    if request.param == "loky":
        return LokyEngine(2)
    found: Engine = request.getfixturevalue(request.param)
    return found
