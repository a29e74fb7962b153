"""The record of one training: every noise call with its value before the noise and its noisy answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlaudit.tracing.batches import Batches
from mlaudit.tracing.call_loss import CallLoss
from mlaudit.tracing.laws import Law
from mlaudit.tracing.sites import Site
from mlaudit.types.arrays import AnyArray, BoolArray, FloatArray, IntArray
from mlaudit.types.numbers import measurement

WEIGHT = "weight"  # use of a draw that a training begins with: it is no noise


@dataclass(frozen=True)
class Declared:
    """What a mechanism states about itself; None where it states nothing.

    `rho` is its zero-concentrated loss (zCDP): half the squared sensitivity over the variance, of Gaussian noise.
    """

    name: str
    epsilon: float | None = None
    delta: float | None = None
    sensitivity: float | None = None
    rho: float | None = None


@dataclass(frozen=True)
class Step:
    """A step of a training: its calls share one sensitivity, and perhaps one random batch.

    Args:
        index: Its number in the training.
        declared: What the library states about the step as a whole.
        rate: The probability with which each row joins the batch, independently of the others; 1 if every row may.
    """

    index: int
    declared: Declared
    rate: float = 1.0


@dataclass(eq=False)
class NoiseEvent:
    """A draw, or an answer: the exact value, the law of its noise, and what came out.

    `ids` numbers the independent draws behind the answer. `pure` noise has not been added to anything yet. `parents`
    are earlier events of the same draws. `uses` says what was seen to happen to the answer. `step` is set for the
    calls of one step of a training. `rounding` is the relative precision of the numbers. `cost` computes the loss of
    an answer from the `value` of both trainings, for a mechanism that states how.
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
    step: Step | None = None
    rounding: float = 0.0
    value: Any = None
    cost: Callable[[Any, Any], CallLoss] | None = None


@dataclass(frozen=True)
class Divergence:
    """The first call at which a training left the record that it was answered from."""

    site: Site
    what: str


class Tape:
    """Records the noise calls of a training; with a `script` it answers each call as that training was answered.

    A training is one thread's work and a tape is used once, so that it may change.
    """

    def __init__(
        self, locate: Callable[[], Site], script: "Tape | None" = None, batches: Batches | None = None
    ) -> None:
        self.locate = locate
        self.script = script
        self.batches = batches
        self.step: Step | None = None
        self.accountants: dict[int, Callable[[float], float]] = {}  # the ε of a library's own accountant at a δ
        self.events: list[NoiseEvent] = []
        self.unfollowed: dict[str, Site] = {}
        self.divergence: Divergence | None = None
        self.drawn = 0
        self.paused = 0
        self.steps = 0

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

    def sample_rows(self, rows: int, rate: float) -> BoolArray | None:
        """Which rows join a random batch: the same ones in both trainings, as far as both have them.

        Args:
            rows: The number of rows that the library draws from.
            rate: The probability with which each of them joins.

        Returns:
            The rows that join; None if they are not the rows of the dataset: the library must draw by itself.
        """
        joined = None if self.batches is None else self.batches.draw(rows, rate)
        if joined is None:
            self.skip("random batches of other rows than those of the dataset")
        return joined

    @contextmanager
    def in_step(self, declared: Declared) -> Iterator[None]:
        """Calls inside belong to one step of a training, on the batch that was drawn last."""
        rate = 1.0 if self.batches is None else self.batches.take_rate()
        index = self.steps
        self.steps += 1
        self.step = Step(index, declared, rate)
        try:
            yield
        finally:
            self.step = None

    def finish(self) -> None:
        """Compare the number of calls once the training has ended."""
        if self.script is not None and self.divergence is None and len(self.events) < len(self.script.events):
            self.divergence = Divergence(self.script.events[len(self.events)].site, "a call less than there")


def _compare(said: NoiseEvent, event: NoiseEvent) -> str:
    """Why a call is not the one that was recorded in its place; "" if it is."""
    if (said.site.file, said.site.line, said.law.kind) != (event.site.file, event.site.line, event.law.kind):
        return f"another call than on the other dataset ({said.site})"
    if said.step is not None and event.step is not None and said.step.rate != event.step.rate:
        there, here = measurement(said.step.rate), measurement(event.step.rate)
        return f"a row joins a batch with probability {there} there, {here} here"
    if said.cost is None and (
        np.shape(said.answer) != np.shape(event.answer) or said.exact.shape != event.exact.shape
    ):
        return f"{_size(said.exact)} before the noise there, {_size(event.exact)} here"
    return ""


def _size(exact: AnyArray) -> str:
    return " × ".join(map(str, exact.shape)) + " numbers" if exact.ndim else "one number"
