"""Where sources of noise find the tape of the training that runs, and how their patches come and go."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, cast

from mlaudit.naming.plugins import load_module, shipped
from mlaudit.tracing.conversions import FollowedFloat, FollowedInt
from mlaudit.tracing.tape import Tape

_SOURCES = "tracing.sources"  # the folder: one file for each source of noise


@dataclass
class Recorder:
    """Holds the tape of the training that runs; without one, every source behaves as usual."""

    tape: Tape | None = None

    @property
    def active(self) -> Tape | None:
        """The tape, unless a call that is followed as a whole is under way."""
        return None if self.tape is None or self.tape.paused else self.tape

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Follow nothing inside a call that is followed as a whole."""
        tape = self.tape
        if tape is None:
            yield
            return
        tape.paused += 1
        try:
            yield
        finally:
            tape.paused -= 1


Patch = tuple[Any, str, Any]  # an object, the name of an attribute, and its new value


@contextmanager
def follow_sources(recorder: Recorder, names: dict[str, Any] | None = None) -> Iterator[None]:
    """Install the patches of every source, and remove them in any case.

    Args:
        recorder: Where the sources find the tape.
        names: The global names of the learner's own module, if it is the user's.
    """
    with ExitStack() as stack:
        stack.enter_context(patched(keep_in_conversions(names or {})))
        for name in shipped(_SOURCES):
            stack.enter_context(patched(cast(Any, load_module(_SOURCES, name)).patches(recorder)))
        yield


@contextmanager
def patched(patches: Iterable[Patch]) -> Iterator[None]:
    """Set attributes, and restore them."""
    before: list[Callable[[], None]] = []
    try:
        for owner, name, value in list(patches):
            before.append(_undo(owner, name))
            setattr(owner, name, value)
        yield
    finally:
        for undo in reversed(before):
            undo()


def keep_in_conversions(names: dict[str, Any]) -> Iterator[Patch]:
    """Let `float(noise)` and `int(noise)` keep the noise in the module that the learner is written in."""
    module = sys.modules.get(names.get("__name__", ""))
    if module is not None and vars(module) is names:
        yield from ((module, "float", FollowedFloat), (module, "int", FollowedInt))


def _undo(owner: Any, name: str) -> Callable[[], None]:
    if name in vars(owner):
        old = vars(owner)[name]
        return lambda: setattr(owner, name, old)
    return lambda: delattr(owner, name)


def replace_everywhere(changed: Mapping[int, Any]) -> Iterator[Patch]:
    """A patch for every global name of every loaded module that refers to one of these objects, by their id.

    `from numpy.random import default_rng` makes a name of its own: replacing numpy's would not reach it.
    """
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if not isinstance(names, dict) or getattr(module, "__name__", "").startswith("mlaudit.tracing"):
            continue
        for name, value in list(names.items()):
            if id(value) in changed:
                yield module, name, changed[id(value)]
