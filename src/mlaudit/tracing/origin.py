"""Where noisy numbers come from: the exact value, the law of the noise and the draws it is made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlaudit.tracing.laws import Law
from mlaudit.tracing.sites import makes_choices
from mlaudit.tracing.tape import NoiseEvent, Tape
from mlaudit.types.arrays import FloatArray, IntArray

_EXACT = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Origin:
    """Where the numbers of an array come from.

    `exact` is their value without noise. `pure` noise has not been added to a value yet. Once it has, the sum is an
    answer, and what is done to it from there on is post-processing.
    """

    tape: Tape
    event: int
    exact: FloatArray
    law: Law
    ids: IntArray
    pure: bool

    def mark(self, use: str) -> None:
        """Remember what was done with the answer."""
        self.tape.events[self.event].uses.add(use)

    def take(self, pick: Callable[[Any], Any]) -> "Origin":
        """The origin of some of the numbers, or of the same numbers in another order."""
        scale = np.broadcast_to(self.law.scale, self.ids.shape)
        exact = np.broadcast_to(self.exact, self.ids.shape)
        law = Law(self.law.kind, np.asarray(pick(scale)))
        return replace(self, exact=np.asarray(pick(exact)), law=law, ids=np.asarray(pick(self.ids)))


@dataclass(frozen=True, eq=False)
class Operand:
    """Numbers of a calculation, with their origin if they are noisy and followed."""

    numbers: Any
    origin: Origin | None = None


def record_operand(
    tape: Tape,
    law: Law,
    exact: Any,
    noisy: Any,
    *,
    pure: bool,
    ids: IntArray | None = None,
    parents: tuple[int, ...] = (),
) -> Operand:
    """Put noisy numbers on the tape, and give them back with their origin.

    Draws of a library that adds no noise by itself are choices, such as where a tree splits: they come back plain.
    """
    shape = np.shape(noisy)
    rounding = max(_precision_of(exact), _precision_of(noisy))
    exact = np.broadcast_to(np.asarray(exact, dtype=float), shape)
    ids = tape.new_ids(shape) if ids is None else np.broadcast_to(ids, shape)
    law = law.spread(shape)
    event = NoiseEvent(
        law, exact, np.asarray(noisy), ids, pure, tape.locate(), parents, step=tape.step, rounding=rounding
    )
    at = len(tape.events)
    answer = tape.record(event)
    if makes_choices(event.site):
        return Operand(answer if shape else answer.item())
    return Operand(answer, Origin(tape, at, exact, law, ids, pure))


def _precision_of(numbers: Any) -> float:
    """The relative precision of the numbers: that of float32 is coarser than that of Python's floats."""
    kind = np.asarray(numbers).dtype.str[1:]
    return float(np.finfo(kind).eps) if kind in ("f2", "f4") else _EXACT
