"""--backend, --address and --jobs as an engine."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from mlaudit.engines.dask_engine import DaskEngine
from mlaudit.engines.isolated import Isolated
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.engines.ray_engine import RayEngine
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.protocols import Engine

_CLUSTERS: dict[str, type[DaskEngine] | type[RayEngine]] = {"dask": DaskEngine, "ray": RayEngine}


@contextmanager
def the_engine(given: argparse.Namespace) -> Iterator[Engine]:
    """Where trainings run, until the end of the command; what was started for it ends with it."""
    with _workers(given) as engine:
        yield Isolated.of(engine) if getattr(given, "isolate", False) else engine


@contextmanager
def _workers(given: argparse.Namespace) -> Iterator[Engine]:
    if given.backend == "loky":
        if given.address:
            raise InvalidInput(
                f"--address is for a cluster of dask or ray, got {given.address!r} without one; give --backend"
            )
        yield JoblibEngine(given.jobs)
        return
    if given.backend not in _CLUSTERS:
        raise UnknownName("backend", given.backend, ["loky", *_CLUSTERS])
    with _CLUSTERS[given.backend](given.address, given.jobs) as engine:
        if given.address:
            engine.connect()  # a wrong one is told at once; workers of our own are started when they are needed
        yield engine
