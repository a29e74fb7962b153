"""Packed tasks: packed once, sent once to each worker, opened once in each.

A task holds whole datasets and has many small items. Only the items are sent again and again.
"""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from mlaudit.drawing.threads import one_thread
from mlaudit.errors import InvalidInput
from mlaudit.naming.versions import installed_versions

Bytes = npt.NDArray[np.uint8]  # an array, because joblib and Ray hand arrays over in shared memory
Payload = Any  # those, or `bytes`: what the engine made of them
Deliver = Callable[[str, Mapping[str, str], Payload, Any, bool], Any]


@dataclass(frozen=True, eq=False)
class Parcel:
    """A packed task, the name under which workers keep it, and the packages that they need."""

    payload: Bytes
    name: str = field(default_factory=lambda: f"mlaudit-{uuid4().hex}")
    needs: Mapping[str, str] = field(default_factory=installed_versions)


def pack_task(task: Callable[[Any], Any]) -> Parcel:
    """Pack a task; functions and classes of the user's own file are sent by value.

    >>> parcel = pack_task(abs)
    >>> run_item(parcel.name, parcel.needs, parcel.payload, -3)
    3
    """
    import cloudpickle  # noqa: PLC0415 - only where there are workers

    try:
        payload = cloudpickle.dumps(task)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(
            f"a mechanism must be picklable to run in worker processes, got: {error}; "
            "define it at a module's top level or use one job"
        ) from error
    return Parcel(np.frombuffer(payload, np.uint8))


def run_item(name: str, needs: Mapping[str, str], payload: Payload, item: Any, careful: bool = False) -> Any:
    """Run one item of a packed task in a worker; with `careful`, each training in a process of its own."""
    if careful:
        from mlaudit.drawing.engines._children import run_in_child  # noqa: PLC0415 - it packs, too

        refuse_others(needs, installed_versions())
        return run_in_child(name, bytes(payload), item)
    shelf = _shelf(name)
    if not shelf:
        refuse_others(needs, installed_versions())
        shelf.append(_open(payload))
    with one_thread():
        return shelf[0](item)


def refuse_others(needs: Mapping[str, str], has: Mapping[str, str]) -> None:
    """Refuse a worker with another version of a package: it would draw other numbers.

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


def make_courier() -> Deliver:
    """Make the function that a cluster runs; it is sent by value, so that a worker without mlaudit can say so."""

    def deliver(name: str, needs: Mapping[str, str], payload: Payload, item: Any, careful: bool) -> Any:
        from mlaudit.drawing.engines._parcel import run_item  # noqa: PLC0415 - found in the worker, or not

        return run_item(name, needs, payload, item, careful)

    return deliver


def explain_missing_module(error: ModuleNotFoundError) -> Exception:
    """The error to raise if a worker could not find a module."""
    if str(error.name).partition(".")[0] != "mlaudit":
        return error
    return InvalidInput(f"workers must have this mlaudit installed, got: {error}; install the same versions there")


@lru_cache(maxsize=2)
def _shelf(name: str) -> list[Callable[[Any], Any]]:  # noqa: ARG001 - what it is kept by
    """Where a worker keeps the tasks that it has opened: the last two only."""
    return []


def _open(payload: Payload) -> Callable[[Any], Any]:
    try:
        task: Callable[[Any], Any] = pickle.loads(payload)  # noqa: S301 - packed by the process that asks
    except ImportError as error:
        raise InvalidInput(
            f"workers must be able to import what a task uses, got: {error}; install it there"
        ) from error
    return task
