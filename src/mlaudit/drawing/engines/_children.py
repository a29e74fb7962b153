"""Child processes that run trainings: started when needed, used again, ended with this process."""

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

from mlaudit.drawing.deaths import Death, Lost
from mlaudit.drawing.engines._careful import Trainings
from mlaudit.drawing.engines._child import CannotOpen, Request
from mlaudit.drawing.engines._losses import Losses
from mlaudit.drawing.engines._messages import Answer, Broken, read, write
from mlaudit.drawing.engines._parcel import Parcel, pack_task
from mlaudit.drawing.engines._shield import hold_interrupts
from mlaudit.errors import InvalidInput

_PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from mlaudit.drawing.engines._child import main; main({pid}, alone={alone})"
)
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
_MOST_MODULES = 20  # that are sent by value before a child is given up


class CannotRun(Exception):
    """No child can run this task: it cannot be packed, or a child cannot open it."""


@dataclass(eq=False)
class Child:
    """One child: its process and the task that it has opened."""

    process: "subprocess.Popen[bytes]"
    alone: bool
    parent: int = field(default_factory=os.getpid)
    opened: str = ""

    def open(self, name: str, payload: bytes) -> CannotOpen | None:
        """Send a packed task for the child to unpack."""
        if self.opened == name:
            return None
        refusal: CannotOpen | None = self._ask(Request(payload=payload)).get()
        self.opened = "" if refusal else name
        return refusal

    def run_item(self, item: Any) -> Answer | Death:
        """Run an item of the opened task; returns the death of the child if it ends before the result."""
        try:
            return self._ask(Request(item=item))
        except Broken:
            return Death(self.process.wait())

    def _ask(self, request: Request) -> Answer:
        """Send a request and wait for the answer; a child that is interrupted meanwhile is ended."""
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
        """End the child now."""
        with hold_interrupts():
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()


@contextmanager
def _borrow_child(*, alone: bool) -> Iterator[Child]:
    """Borrow an idle child, or start one; it is kept for the next caller if it lives."""
    idle = _idle(alone)
    while idle:
        child = idle.pop()
        if child.parent == os.getpid() and child.process.poll() is None:
            break
    else:
        child = _start_child(alone=alone)
    try:
        yield child
    finally:
        if child.process.poll() is None:
            idle.append(child)


@lru_cache(maxsize=2)
def _idle(alone: bool) -> list[Child]:  # noqa: ARG001 - what they are kept by
    """The idle children: starting one takes about as long as hundreds of small trainings."""
    idle: list[Child] = []
    atexit.register(_end_all, idle)
    return idle


def _end_all(idle: list[Child]) -> None:
    """End the idle children: Python warns of processes that it leaves running."""
    for child in idle:
        if child.parent == os.getpid():
            child.end()


def _start_child(*, alone: bool) -> Child:
    """Start a fresh interpreter with the same import path, which never receives Ctrl-C."""
    program = _PROGRAM.format(path=sys.path, pid=os.getpid(), alone=alone)
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001 - as multiprocessing does
    command = [sys.executable, *flags, "-c", program]
    pipe = subprocess.PIPE
    with hold_interrupts():
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=_ONE_THREAD | os.environ, bufsize=0)  # noqa: S603
        except OSError as error:
            raise CannotRun(str(error)) from error
    return Child(process, alone)


def run_one_by_one(task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Run items in order: in a child if the task runs foreign code, which may end its process; else here."""
    if not isinstance(task, Trainings) or not (task.foreign or task.isolate):
        yield from map(task, items)
        return
    try:
        parcel = _pack_openable(task)
    except CannotRun as reason:
        if task.isolate:
            raise InvalidInput(
                f"a learner must be picklable to run in processes of its own, got: {reason}; define it at a "
                "module's top level, or leave out isolate"
            ) from reason
        yield from map(task, items)  # defined in a debugger or a notebook: it can only run here
        return
    losses, careful, payload = Losses(), task.isolate, parcel.payload.tobytes()
    for position, item in enumerate(items):
        while isinstance(result := run_in_child(parcel.name, payload, item, alone=careful), Lost):
            losses.count(position)
            careful = True  # what ended one child ends the next
        losses.reset()
        yield result


def _pack_openable(task: Trainings) -> Parcel:
    """Pack the task so that a child can open it: modules that only this process can import are sent by value."""
    import cloudpickle  # noqa: PLC0415 - only where there are other processes

    reason = ""
    for _ in range(_MOST_MODULES):
        try:
            parcel = pack_task(task)
        except InvalidInput as error:
            raise CannotRun(str(error.__cause__)) from error
        try:
            with _borrow_child(alone=task.isolate) as child:
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


def run_in_child(name: str, payload: bytes, item: Any, *, alone: bool = True) -> Any:
    """Run one item of a packed task in a child; `Lost` if the child dies."""
    with _borrow_child(alone=alone) as child:
        try:
            refusal = child.open(name, payload)
        except Broken:
            return Lost()
        if refusal is not None:
            raise InvalidInput(
                f"workers must be able to import what a task uses, got: {refusal.reason}; install it there"
            )
        answer = child.run_item(item)
    return Lost() if isinstance(answer, Death) else answer.get()


def run_in_fresh_process(call: Callable[[], Any]) -> Answer | Death:
    """Run one call in a fresh interpreter, which ends after it."""
    import cloudpickle  # noqa: PLC0415 - only where there are other processes

    child = _start_child(alone=False)
    try:
        refusal = child.open("call", cloudpickle.dumps(_Call(call)))
        if refusal is not None:
            return Answer(InvalidInput(refusal.reason), raised=True)
        return child.run_item(None)
    finally:
        child.end()


@dataclass(frozen=True)
class _Call:
    """A call as a task with one item."""

    call: Callable[[], Any]

    def __call__(self, item: Any) -> Any:
        """Run the call."""
        return self.call()
