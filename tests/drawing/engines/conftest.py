"""Real clusters with worker processes of their own, started once for each file of tests."""

from collections.abc import Iterator

import pytest

from mlaudit import LokyEngine
from mlaudit.drawing.engines.dask import DaskEngine
from mlaudit.drawing.engines.ray import RayEngine
from mlaudit.protocols import Engine


@pytest.fixture(scope="module")
def dask() -> Iterator[DaskEngine]:
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with DaskEngine(jobs=2) as engine:
        yield engine


@pytest.fixture(scope="module")
def ray() -> Iterator[RayEngine]:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    with RayEngine(jobs=2) as engine:
        yield engine


@pytest.fixture(scope="module", params=["loky", "dask", "ray"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the engines, with two workers."""
    if request.param == "loky":
        return LokyEngine(2)
    found: Engine = request.getfixturevalue(request.param)
    return found
