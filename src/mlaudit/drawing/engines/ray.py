"""Worker processes of a Ray cluster, one BLAS/OpenMP thread each."""

import gc
import os
import socket
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from secrets import token_hex
from typing import Any, TypeVar
from uuid import uuid4

from mlaudit.drawing.deaths import Lost
from mlaudit.drawing.engines._careful import Trainings
from mlaudit.drawing.engines._jobs import jobs_of
from mlaudit.drawing.engines._losses import Losses
from mlaudit.drawing.engines._parcel import explain_missing_module, make_courier, pack_task
from mlaudit.drawing.engines._reaper import start as start_reaper
from mlaudit.drawing.engines._shield import hold_interrupts
from mlaudit.errors import Incomplete, InvalidInput, MissingExtra
from mlaudit.types.checks import text

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE = 120.0  # seconds to reach a cluster that does not refuse: its machine may be busy
_QUIET = {"log_to_driver": False, "logging_level": "ERROR"}
_PER_WORKER = 2  # submitted items: the next is there when one is done
_SETTINGS = {
    "RAY_worker_niceness": "0",  # as nice as this process, like every other engine's; Ray's own choice is 15
    "RAY_USAGE_STATS_ENABLED": "0",  # an auditor of privacy tells nobody that it runs
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # Ray prints what happens to workers on stdout, where the result goes
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # what Ray will do from now on; it warns until it is asked to
}
# A cluster of our own: for this machine only, and for who knows the token. The first name is Ray's, whatever the
# system: without "clusters" a node's address is that of the loopback device.
_LOCAL = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
_TOKEN, _MARK = "RAY_AUTH_TOKEN", "MLAUDIT_RAY"
_LOOPBACK = ("127.", "localhost:", "[::1]:", "::1:")
_HASTY = {"RAY_NUM_REDIS_GET_RETRIES": "3"}  # for an address: where no Ray listens, Ray tries for minutes


@dataclass(frozen=True)
class RayEngine:
    """Runs trainings on the Ray cluster at `address`, or on one of its own with `jobs` workers.

    It connects once, before the first training. Use it in a `with` statement, or call `close()`, to end the workers
    that it started. If this process is already connected to a Ray cluster, that cluster is used.

    >>> RayEngine(jobs=0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: jobs must be a whole number of at least 1, got 0; give the number of worker processes
    """

    address: str = ""
    jobs: int = 2
    token: str = field(default="", init=False, repr=False, compare=False)  # of a cluster of its own

    def __post_init__(self) -> None:
        jobs_of(self.jobs)
        text("address", self.address)

    def __enter__(self) -> "RayEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def connect(self) -> None:
        """Connect to the cluster, or start one."""
        _ = self._ray

    def close(self) -> None:
        """Disconnect, and end the cluster if it was started here; the next training connects again."""
        ray = vars(self).pop("_ray", None)
        with hold_interrupts():
            if ray is not None and vars(self).pop("_ours", False):
                _shut_down(ray)
            reaper = vars(self).pop("_reaper", None)
            if reaper is not None:
                _forget_token()
                reaper.stdin.close()
                reaper.wait()

    @cached_property
    def _ray(self) -> Any:
        """The connected module: Ray has one cluster per process."""
        with _set_environment(_SETTINGS | (_HASTY if self.address else {})):
            try:
                import ray  # noqa: PLC0415 - an extra
            except ImportError as error:
                raise MissingExtra("ray", "ray") from error
            if ray.is_initialized():
                self._refuse_another(ray.get_runtime_context().gcs_address)
            else:
                self._start(ray)
                vars(self)["_ours"] = True
        return ray

    def _start(self, ray: Any) -> None:
        try:
            if self.address:
                _refuse_deaf(self.address)
                ray.init(address=self.address, **_QUIET)
            else:
                self._start_own(ray)
        except (OSError, ValueError, RuntimeError) as error:
            where = repr(self.address) if self.address else "one of its own"
            raise InvalidInput(
                f"the Ray cluster must be reachable at its address, HOST:PORT, got {where}: {error}; start it "
                "(ray start --head) and this machine's part of it, or leave the address out"
            ) from error

    def _start_own(self, ray: Any) -> None:
        """Start a cluster on the loopback device, with a token that only this process and its children know."""
        mark = uuid4().hex
        secret = {_TOKEN: token_hex(32), _MARK: mark}
        if sys.platform == "linux":
            vars(self)["_reaper"] = start_reaper(mark)
        try:
            with hold_interrupts(), _set_environment(_LOCAL | secret, force=True), _force_loopback():
                _forget_token()
                ray.init(address="local", num_cpus=self.jobs, include_dashboard=False, **_QUIET)
            vars(self)["token"] = secret[_TOKEN]
            where = ray.get_runtime_context().gcs_address
            if not where.startswith(_LOOPBACK):
                raise RuntimeError(f"it listens at {where} for other machines too")
        except BaseException:  # a Ctrl-C too, held until it had started: it ends before its token is forgotten
            with hold_interrupts():
                _shut_down(ray)
            self.close()
            raise

    def _refuse_another(self, connected: str) -> None:
        if self.address not in ("", "auto", connected):
            raise InvalidInput(
                f"a process can be connected to one Ray cluster only, here {connected}, got {self.address!r}; "
                "call ray.shutdown() before"
            )

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield the results of task(item) in the order of completion; items of a worker that dies are repeated."""
        if not items:
            return
        ray, parcel = self._ray, pack_task(task)
        payload = ray.put(parcel.payload)
        # Lost items are submitted again here, where it is known whether anything has come back in between.
        deliver = ray.remote(num_cpus=1, max_retries=0)(make_courier())
        losses, waiting = Losses(), deque(enumerate(items))
        careful = isinstance(task, Trainings) and task.isolate
        under_way: dict[Any, tuple[int, Item]] = {}
        most = _PER_WORKER * max(1, int(ray.cluster_resources().get("CPU", 1)))
        # An interrupted run leaves its few items to Ray, which drops them when the run disconnects: to cancel one
        # just as it ends kills this process (Ray 2.60: "Tried to complete task that was not pending").
        while waiting or under_way:
            while waiting and len(under_way) < most:
                position, item = waiting.popleft()
                under_way[deliver.remote(parcel.name, parcel.needs, payload, item, careful)] = position, item
            (done, *_), _ = ray.wait(list(under_way), num_returns=1)
            position, item = under_way.pop(done)
            try:
                result = _take_result(ray, done)
            except _loss_errors(ray):
                result = Lost()
            if isinstance(result, Lost):
                losses.count(position)
                waiting.append((position, item))
                careful = isinstance(task, Trainings)
                continue
            losses.reset()
            yield result


def _shut_down(ray: Any) -> None:
    """Shut Ray down while no thread collects garbage.

    A reference to a Ray object that another thread frees while Ray shuts down ends this process (Ray 2.60: "The core
    worker has already been shutdown. … The process will exit"). A failed run leaves such references in its traceback.
    """
    gc.collect()
    collects = gc.isenabled()
    gc.disable()
    try:
        ray.shutdown()
    finally:
        if collects:
            gc.enable()


def _take_result(ray: Any, reference: Any) -> Any:
    """Return the result of a worker, or raise its exception as if it had been raised here."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, ModuleNotFoundError):
            raise explain_missing_module(cause) from error
        raise (cause if isinstance(cause, Exception) else Incomplete(f"a Ray worker failed: {error}")) from error


def _loss_errors(ray: Any) -> tuple[type[Exception], ...]:
    """The exceptions of Ray for a lost worker, a lost machine or a lost result."""
    gone = ray.exceptions
    return gone.WorkerCrashedError, gone.NodeDiedError, gone.ObjectLostError, gone.OutOfMemoryError


def _refuse_deaf(address: str) -> None:
    """Fail at once if nobody listens at the address: Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return  # "auto", or something that Ray refuses at once
    with closing(socket.create_connection((host, int(port)), timeout=_PATIENCE)):
        pass


@contextmanager
def _force_loopback() -> Iterator[None]:
    """Apply `RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER` even if Ray was imported before the variable was set."""
    from ray._private import ray_constants  # noqa: PLC0415 - an extra

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _forget_token() -> None:
    """Clear the token that Ray has cached from the environment."""
    kept = import_module("ray._raylet")
    kept.Config.initialize("")
    kept.AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def _set_environment(values: dict[str, str], *, force: bool = False) -> Iterator[None]:
    """Set environment variables inside the block; those of the user are kept unless `force` is set."""
    before = {name: os.environ[name] for name in values if name in os.environ and force}
    ours = {name: value for name, value in values.items() if force or name not in os.environ}
    os.environ.update(ours)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray's own, about how it starts its processes
            yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
        os.environ.update(before)
