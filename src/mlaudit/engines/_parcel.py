"""A task on its way to workers: packed once, sent once to each of them, opened once in each.

A task carries whole datasets and is handed many small items; only the items travel again and again.
"""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from mlaudit.errors import InvalidInput
from mlaudit.threads import one_thread
from mlaudit.versions import installed

Bytes = npt.NDArray[np.uint8]  # an array, because joblib and Ray hand arrays over in shared memory
Payload = Any  # those, or `bytes`: what the engine made of them
Deliver = Callable[[str, Mapping[str, str], Payload, Any, bool], Any]


@dataclass(frozen=True, eq=False)
class Parcel:
    """A packed task, the name that workers keep it under, and what they must have installed."""

    payload: Bytes
    name: str = field(default_factory=lambda: f"mlaudit-{uuid4().hex}")
    needs: Mapping[str, str] = field(default_factory=installed)


def pack(task: Callable[[Any], Any]) -> Parcel:
    """Pack a task; functions and classes of a user's own file go with it whole.

    >>> parcel = pack(abs)
    >>> run(parcel.name, parcel.needs, parcel.payload, -3)
    3
    """
    import cloudpickle  # noqa: PLC0415 - only where there are workers

    try:
        payload = cloudpickle.dumps(task)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"a mechanism must be picklable to run in worker processes, got: {error}; "
            "define it at a module's top level or use one job"
        ) from error
    return Parcel(np.frombuffer(payload, np.uint8))


def run(name: str, needs: Mapping[str, str], payload: Payload, item: Any, careful: bool = False) -> Any:
    """In a worker: do one item of a packed task; `careful`: each of its trainings in a process of its own."""
    if careful:
        from mlaudit.engines._children import in_child  # noqa: PLC0415 - it packs, too

        refuse_others(needs, installed())
        return in_child(name, bytes(payload), item)
    shelf = _shelf(name)
    if not shelf:
        refuse_others(needs, installed())
        shelf.append(_open(payload))
    with one_thread():
        return shelf[0](item)


def refuse_others(needs: Mapping[str, str], has: Mapping[str, str]) -> None:
    """A worker with another library would draw other numbers.

    >>> refuse_others({"numpy": "2.1.0"}, {"numpy": "1.26.4"})
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: workers must have numpy 2.1.0 as this process has, got 1.26.4; install the same there
    """
    for package, version in needs.items():
        if has.get(package) != version:
            wanted, got = version or "not installed", has.get(package) or "not installed"
            raise InvalidInput(
                f"workers must have {package} {wanted} as this process has, got {got}; install the same there"
            )


def courier() -> Deliver:
    """What is submitted to a cluster: it travels by value, so that a worker without mlaudit can still say so."""

    def deliver(name: str, needs: Mapping[str, str], payload: Payload, item: Any, careful: bool) -> Any:
        from mlaudit.engines._parcel import run  # noqa: PLC0415 - found in the worker, or not

        return run(name, needs, payload, item, careful)

    return deliver


def without_mlaudit(error: ModuleNotFoundError) -> Exception:
    """What to say when a worker could not find a module."""
    if str(error.name).partition(".")[0] != "mlaudit":
        return error
    return InvalidInput(f"workers must have this mlaudit installed, got: {error}; install the same versions there")


@lru_cache(maxsize=2)
def _shelf(name: str) -> list[Callable[[Any], Any]]:  # noqa: ARG001 - what it is kept by
    """Where a worker keeps what it has opened: the last parcels only."""
    return []


def _open(payload: Payload) -> Callable[[Any], Any]:
    try:
        task: Callable[[Any], Any] = pickle.loads(payload)  # noqa: S301 - packed by the process that asks
    except ImportError as error:
        raise InvalidInput(
            f"workers must be able to import what a task uses, got: {error}; install it there"
        ) from error
    return task
