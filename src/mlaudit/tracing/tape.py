"""The record of one training: every noise call with its value before the noise and its noisy answer."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlaudit.tracing.laws import Law
from mlaudit.tracing.sites import Site
from mlaudit.types.arrays import AnyArray, FloatArray, IntArray


@dataclass(frozen=True)
class Declared:
    """What a mechanism states about itself; None where it states nothing."""

    name: str
    epsilon: float | None = None
    delta: float | None = None
    sensitivity: float | None = None


@dataclass(eq=False)
class NoiseEvent:
    """A draw, or an answer: the exact value, the law of its noise, and what came out.

    `ids` numbers the independent draws behind the answer. `pure` noise has not been added to anything yet. `parents`
    are earlier events of the same draws. `uses` says what was seen to happen to the answer.
    """

    law: Law
    exact: FloatArray
    answer: Any
    ids: IntArray
    pure: bool
    site: Site
    parents: tuple[int, ...] = ()
    declared: Declared | None = None
    uses: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Divergence:
    """The first call at which a training left the record that it was answered from."""

    site: Site
    what: str


class Tape:
    """Records the noise calls of a training; with a `script` it answers each call as that training was answered.

    A training is one thread's work and a tape is used once, so that it may change.
    """

    def __init__(self, locate: Callable[[], Site], script: "Tape | None" = None) -> None:
        self.locate = locate
        self.script = script
        self.events: list[NoiseEvent] = []
        self.unfollowed: dict[str, Site] = {}
        self.divergence: Divergence | None = None
        self.drawn = 0
        self.paused = 0

    def new_ids(self, shape: tuple[int, ...]) -> IntArray:
        """Numbers of fresh draws."""
        count = int(np.prod(shape, dtype=int))
        self.drawn += count
        return np.arange(self.drawn - count, self.drawn).reshape(shape)

    def record(self, event: NoiseEvent) -> Any:
        """Keep an event. Returns its answer, or the answer of the script's event in the same place."""
        at = len(self.events)
        self.events.append(event)
        if self.script is None or self.divergence is not None:
            return event.answer
        if at >= len(self.script.events):
            self.divergence = Divergence(event.site, "a call more than on the other dataset")
            return event.answer
        said = self.script.events[at]
        what = _compare(said, event)
        if what:
            self.divergence = Divergence(event.site, what)
            return event.answer
        event.answer = said.answer
        return said.answer

    def skip(self, reason: str) -> None:
        """Note a call that cannot be followed."""
        self.unfollowed.setdefault(reason, self.locate())

    def finish(self) -> None:
        """Compare the number of calls once the training has ended."""
        if self.script is not None and self.divergence is None and len(self.events) < len(self.script.events):
            self.divergence = Divergence(self.script.events[len(self.events)].site, "a call less than there")


def _compare(said: NoiseEvent, event: NoiseEvent) -> str:
    """Why a call is not the one that was recorded in its place; "" if it is."""
    if (said.site.file, said.site.line, said.law.kind) != (event.site.file, event.site.line, event.law.kind):
        return f"another call than on the other dataset ({said.site})"
    if _shape(said.answer) != _shape(event.answer) or said.exact.shape != event.exact.shape:
        return f"{_size(said.exact)} before the noise there, {_size(event.exact)} here"
    return ""


def _shape(answer: Any) -> tuple[int, ...]:
    return np.shape(answer)


def _size(exact: AnyArray) -> str:
    return " × ".join(map(str, exact.shape)) + " numbers" if exact.ndim else "one number"
