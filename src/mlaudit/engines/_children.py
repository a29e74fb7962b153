"""Child processes of this one that do trainings: started when they are needed, used again, gone with this process."""

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from mlaudit.deaths import Death, Lost
from mlaudit.engines._careful import Trainings
from mlaudit.engines._child import CannotOpen, Request
from mlaudit.engines._losses import Losses
from mlaudit.engines._messages import Answer, Broken, read, write
from mlaudit.engines._parcel import Parcel, pack
from mlaudit.engines._shield import held
from mlaudit.errors import InvalidInput

_PROGRAM = "import sys; sys.path[:] = {path!r}; from mlaudit.engines._child import main; main({pid}, alone={alone})"
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
_MOST_MODULES = 20  # that are sent by value before a child is given up


class CannotRun(Exception):
    """No child can run this task: it cannot be packed, or not be opened elsewhere."""


@dataclass(eq=False)
class Child:
    """One of them, its process, and the task that it has opened."""

    process: "subprocess.Popen[bytes]"
    alone: bool
    parent: int = field(default_factory=os.getpid)
    opened: str = ""

    def open(self, name: str, payload: bytes) -> CannotOpen | None:
        """Have it unpack a task."""
        if self.opened == name:
            return None
        refusal: CannotOpen | None = self._ask(Request(payload=payload)).get()
        self.opened = "" if refusal else name
        return refusal

    def do(self, item: Any) -> Answer | Death:
        """An item of the task that it has opened; its death, if it does not live to bring the result."""
        try:
            return self._ask(Request(item=item))
        except Broken:
            return Death(self.process.wait())

    def _ask(self, request: Request) -> Answer:
        """A child that was interrupted in the middle of an answer is of no further use."""
        source, sink = self.process.stdout, self.process.stdin
        assert source is not None  # noqa: S101 - both are pipes
        assert sink is not None  # noqa: S101
        try:
            write(sink.fileno(), pickle.dumps(request))
            answer: Answer = read(source.fileno())
        except BaseException:
            self.end()
            raise
        return answer

    def end(self) -> None:
        """Now, whatever it is doing."""
        with held():
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()


@contextmanager
def _child(*, alone: bool) -> Iterator[Child]:
    """A child that nobody else uses meanwhile; kept for the next one, if it lives."""
    idle = _idle(alone)
    while idle:
        child = idle.pop()
        if child.parent == os.getpid() and child.process.poll() is None:
            break
    else:
        child = _started(alone=alone)
    try:
        yield child
    finally:
        if child.process.poll() is None:
            idle.append(child)


@lru_cache(maxsize=2)
def _idle(alone: bool) -> list[Child]:  # noqa: ARG001 - what they are kept by
    """Those that wait for work: starting one takes about as long as hundreds of small trainings."""
    idle: list[Child] = []
    atexit.register(_end_all, idle)
    return idle


def _end_all(idle: list[Child]) -> None:
    """They would end by themselves, but Python warns of processes that it leaves running."""
    for child in idle:
        if child.parent == os.getpid():
            child.end()


def _started(*, alone: bool) -> Child:
    """A fresh interpreter that finds what this one finds, and never sees Ctrl-C."""
    program = _PROGRAM.format(path=sys.path, pid=os.getpid(), alone=alone)
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001 - as multiprocessing does
    command = [sys.executable, *flags, "-c", program]
    pipe = subprocess.PIPE
    with held():
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=_ONE_THREAD | os.environ, bufsize=0)  # noqa: S603
        except OSError as error:
            raise CannotRun(str(error)) from error
    return Child(process, alone)


def one_by_one(task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Items in order: in a child if the task runs code that is not mlaudit's and may end its process; else here."""
    if not isinstance(task, Trainings) or not (task.foreign or task.isolate):
        yield from map(task, items)
        return
    try:
        parcel = _openable(task)
    except CannotRun as reason:
        if task.isolate:
            raise InvalidInput(
                f"a learner must be picklable to run in processes of its own, got: {reason}; define it at a "
                "module's top level, or leave out isolate"
            ) from reason
        yield from map(task, items)  # a debugger's or a notebook's: as good as it gets
        return
    losses, careful, payload = Losses(), task.isolate, parcel.payload.tobytes()
    for place, item in enumerate(items):
        while isinstance(result := in_child(parcel.name, payload, item, alone=careful), Lost):
            losses.count(place)
            careful = True  # from now on: what ended one child ends the next
        losses.came_back()
        yield result


def _openable(task: Trainings) -> Parcel:
    """The task packed so that a child can open it: modules that only this process can import travel whole."""
    import cloudpickle  # noqa: PLC0415 - only where there are other processes

    reason = ""
    for _ in range(_MOST_MODULES):
        try:
            parcel = pack(task)
        except InvalidInput as error:
            raise CannotRun(str(error.__cause__)) from error
        try:
            with _child(alone=task.isolate) as child:
                refusal = child.open(parcel.name, parcel.payload.tobytes())
        except Broken as error:
            raise CannotRun("a process that ended as it imported the learner") from error
        if refusal is None:
            return parcel
        reason, module = refusal.reason, sys.modules.get(refusal.module)
        if module is None or refusal.module in cloudpickle.list_registry_pickle_by_value():
            break
        cloudpickle.register_pickle_by_value(module)
    raise CannotRun(reason)


def in_child(name: str, payload: bytes, item: Any, *, alone: bool = True) -> Any:
    """One item of a packed task in a child of this process; `Lost` if the child was."""
    with _child(alone=alone) as child:
        try:
            refusal = child.open(name, payload)
        except Broken:
            return Lost()
        if refusal is not None:
            raise InvalidInput(
                f"workers must be able to import what a task uses, got: {refusal.reason}; install it there"
            )
        answer = child.do(item)
    return Lost() if isinstance(answer, Death) else answer.get()


def fresh(call: Callable[[], Any]) -> Answer | Death:
    """One call in an interpreter of its own, which ends with it."""
    import cloudpickle  # noqa: PLC0415 - only where there are other processes

    child = _started(alone=False)
    try:
        refusal = child.open("call", cloudpickle.dumps(_Call(call)))
        if refusal is not None:
            return Answer(InvalidInput(refusal.reason), raised=True)
        return child.do(None)
    finally:
        child.end()


@dataclass(frozen=True)
class _Call:
    """A call as a task of one item."""

    call: Callable[[], Any]

    def __call__(self, item: Any) -> Any:
        """The call itself."""
        return self.call()
