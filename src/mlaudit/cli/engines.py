"""--backend, --jobs and --address as an engine: a file of `drawing/engines`, or the user's own."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from mlaudit.auditing.learner import has_field
from mlaudit.cli.specs import EngineSpec
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load
from mlaudit.protocols import Engine


@contextmanager
def open_engine(spec: EngineSpec, *, isolate: bool = False) -> Iterator[Engine]:
    """The engine that the options name, until the end of the command; workers that it started end with it."""
    engine = _build(load("engines", spec.backend), spec)
    with engine if hasattr(engine, "__enter__") else nullcontext(engine):
        if spec.address:
            engine.connect()  # a wrong address is refused at once; own workers are started when they are needed
        yield Isolated.of(engine) if isolate else engine


def _build(found: Any, spec: EngineSpec) -> Any:
    """An instance; an engine takes `jobs` and `address` if it has fields of these names."""
    if spec.address and not has_field(found, "address"):
        raise InvalidInput(
            f"--address is for an engine with a cluster, got {spec.address!r} with --backend {spec.backend}; "
            "give another --backend, as dask or ray"
        )
    if spec.jobs != 1 and not has_field(found, "jobs"):
        raise InvalidInput(f"{spec.backend} starts no workers, got --jobs {spec.jobs}; leave --jobs out")
    options = {"jobs": spec.jobs, "address": spec.address}
    return found(**{name: value for name, value in options.items() if has_field(found, name)})
