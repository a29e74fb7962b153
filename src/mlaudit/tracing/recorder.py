"""Where sources of noise find the tape of the training that runs, and how their patches come and go."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain
from types import ModuleType
from typing import Any, cast

from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load_installed, load_module, shipped
from mlaudit.tracing.conversions import FollowedFloat, FollowedInt
from mlaudit.tracing.tape import Tape

_SOURCES = "tracing.sources"  # the folder: one file for each source of noise
_OWN_MODULE = "mlaudit traced learner"  # in sys.modules while a trace runs
_PATCHING = threading.RLock()  # patches belong to the whole process: two traces must not remove each other's


@dataclass
class Recorder:
    """Holds the tape of the training that runs; without one, every source behaves as usual.

    Only the thread that made the recorder is followed. What other threads draw is none of the training's noise.
    """

    tape: Tape | None = None
    thread: int = field(default_factory=threading.get_ident)

    @property
    def active(self) -> Tape | None:
        """The tape, unless a call that is followed as a whole is under way, or another thread asks."""
        if self.tape is None or self.tape.paused or threading.get_ident() != self.thread:
            return None
        return self.tape

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Follow nothing inside a call that is followed as a whole."""
        tape = self.tape if threading.get_ident() == self.thread else None
        if tape is None:
            yield
            return
        tape.paused += 1
        try:
            yield
        finally:
            tape.paused -= 1


# The recorder of the trace that runs, for functions that are marked as noise.
FOLLOWING: ContextVar[Recorder | None] = ContextVar("mlaudit_following", default=None)
Patch = tuple[Any, str, Any]  # an object, the name of an attribute, and its new value
_EVERY_MODULE = object()  # as the object of a patch: new values by the ids of the old ones, whatever their names


@contextmanager
def follow_sources(recorder: Recorder, names: dict[str, Any] | None = None) -> Iterator[None]:
    """Install the patches of every source, and remove them in any case.

    Args:
        recorder: Where the sources find the tape.
        names: The global names of the learner's own module, if it is the user's.
    """
    with _PATCHING, ExitStack() as stack:
        stack.enter_context(_known_as_module(names or {}))
        stack.enter_context(patched(keep_in_conversions(names or {})))
        sources = load_sources()
        stack.enter_context(patched(chain.from_iterable(source.patches(recorder) for source in sources)))
        for source in sources:
            if hasattr(source, "surroundings"):
                stack.enter_context(source.surroundings())
        token = FOLLOWING.set(recorder)
        stack.callback(FOLLOWING.reset, token)
        yield


def load_sources() -> list[Any]:
    """The sources of this package, and those of installed packages with an entry point in `mlaudit.sources`.

    Raises:
        InvalidInput: If an entry point names an object without a function `patches`.
    """
    own = [cast(Any, load_module(_SOURCES, name)) for name in shipped(_SOURCES)]
    others = load_installed("sources")
    for name, source in others.items():
        if not callable(getattr(source, "patches", None)):
            raise InvalidInput(
                f"the source of noise {name!r} must have a function patches(recorder), got {source!r};"
                " correct the entry point of its package"
            )
    return [*own, *others.values()]


@contextmanager
def patched(patches: Iterable[Patch]) -> Iterator[None]:
    """Set attributes, and restore them, also where a module that was loaded meanwhile has taken the new value."""
    before: list[Callable[[], None]] = []
    replaced: dict[int, Any] = {}
    loaded = set(sys.modules)
    try:
        for owner, name, value in _look_up_names(list(patches)):
            if isinstance(owner, ModuleType) and name in vars(owner):
                replaced[id(value)] = vars(owner)[name]
            before.append(_undo(owner, name))
            setattr(owner, name, value)
        yield
    finally:
        for undo in reversed(before):
            undo()
        for name in set(sys.modules) - loaded:
            _restore_names(getattr(sys.modules[name], "__dict__", None), replaced)


def _restore_names(names: Any, replaced: Mapping[int, Any]) -> None:
    for name, value in list(names.items()) if isinstance(names, dict) else ():
        if id(value) in replaced:
            names[name] = replaced[id(value)]


def keep_in_conversions(names: dict[str, Any]) -> Iterator[Patch]:
    """Let `float(noise)` and `int(noise)` keep the noise in the module that the learner is written in."""
    if names:
        own = _Names(names)
        yield from ((own, "float", FollowedFloat), (own, "int", FollowedInt))


class _Names:
    """Global names as an object whose attributes they are, as those of a module."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.__dict__ = names


@contextmanager
def _known_as_module(names: dict[str, Any]) -> Iterator[None]:
    """Let sources find the names of a learner whose module was not imported here: it came from another process."""
    module = sys.modules.get(str(names.get("__name__", "")))
    if not names or (module is not None and vars(module) is names):
        yield
        return
    sys.modules[_OWN_MODULE] = cast(Any, _Names(names))
    try:
        yield
    finally:
        sys.modules.pop(_OWN_MODULE, None)


def _undo(owner: Any, name: str) -> Callable[[], None]:
    if name in vars(owner):
        old = vars(owner)[name]
        return lambda: setattr(owner, name, old)
    return lambda: delattr(owner, name)


def replace_everywhere(changed: Mapping[int, Any]) -> Iterator[Patch]:
    """A patch for every global name of every loaded module that refers to one of these objects, by their id.

    `from numpy.random import default_rng` makes a name of its own: replacing numpy's would not reach it.
    """
    yield _EVERY_MODULE, "", changed


def _look_up_names(patches: Iterable[Patch]) -> list[Patch]:
    """The patches, with those of every module as patches of its names.

    Thousands of modules may be loaded: one pass over them serves the patches of all sources.
    """
    changed: dict[int, Any] = {}
    found = []
    for owner, name, value in patches:
        if owner is _EVERY_MODULE:
            changed |= value
        else:
            found.append((owner, name, value))
    return [*found, *_patch_modules(changed)] if changed else found


def _patch_modules(changed: Mapping[int, Any]) -> Iterator[Patch]:
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if not isinstance(names, dict) or getattr(module, "__name__", "").startswith("mlaudit.tracing"):
            continue
        if changed.keys().isdisjoint(map(id, list(names.values()))):
            continue  # nearly all modules
        for name, value in list(names.items()):
            if id(value) in changed:
                yield module, name, changed[id(value)]
