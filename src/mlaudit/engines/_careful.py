"""Items whose trainings can be done one by one, each in a process of its own."""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

from mlaudit.deaths import Death, Lost
from mlaudit.engines._messages import Answer

Apart = Callable[[Callable[[], Any]], Answer | Death]  # one call in a process of its own


@runtime_checkable
class Trainings(Protocol):
    """A task whose items are runs of trainings; engines accept any other callable as well.

    Engines repeat an item whose worker died one training at a time. A training that ends its process is then an
    output of its own kind instead of a lost worker.
    """

    @property
    def foreign(self) -> bool:
        """Whether it runs code that mlaudit does not ship, which may end the process that runs it."""

    @property
    def isolate(self) -> bool:
        """Whether every training is to have a process of its own from the start."""

    def __call__(self, item: Any) -> Any:
        """All trainings of an item, in this process."""

    def parts(self, item: Any) -> Sequence[Any]:
        """Its trainings."""

    def one(self, part: Any) -> Any:
        """One training."""

    def died(self, part: Any, death: Death) -> Any:
        """What stands for a training that ended its process."""

    def together(self, item: Any, made: Sequence[Any], seconds: tuple[float, float]) -> Any:
        """The item's result out of those of its trainings, and the CPU and wall seconds that they took."""


def carefully(task: Trainings, item: Any, apart: Apart) -> Any:
    """An item's result, each of its trainings in a process of its own; `Lost` if one was killed from outside."""
    began = _clock()
    made = []
    for part in task.parts(item):
        answer = apart(partial(task.one, part))
        if isinstance(answer, Answer):
            made.append(answer.get())
        elif answer.from_outside:
            return Lost()
        else:
            made.append(task.died(part, answer))
    cpu, wall = (now - then for now, then in zip(_clock(), began, strict=True))
    return task.together(item, made, (cpu, wall))


def _clock() -> tuple[float, float]:
    """CPU seconds of this process and of those that it has waited for, and wall seconds."""
    return sum(os.times()[:4]), time.perf_counter()
