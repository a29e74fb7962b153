"""Tasks whose items can be split into single trainings, each run in a process of its own."""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

from mlaudit.drawing.deaths import Death, Lost
from mlaudit.drawing.engines._messages import Answer

Apart = Callable[[Callable[[], Any]], Answer | Death]  # one call in a process of its own


@runtime_checkable
class Trainings(Protocol):
    """A task whose items are runs of trainings; engines accept any other callable as well.

    If a worker dies, engines repeat its item one training at a time. A training that ends its process is then
    recorded as an output of its own kind.
    """

    @property
    def foreign(self) -> bool:
        """Whether the task runs code that mlaudit does not ship; such code may end its process."""

    @property
    def isolate(self) -> bool:
        """Whether every training has a process of its own from the start."""

    def __call__(self, item: Any) -> Any:
        """Run all trainings of an item in this process."""

    def split_item(self, item: Any) -> Sequence[Any]:
        """Split an item into its trainings."""

    def run_part(self, part: Any) -> Any:
        """Run one training."""

    def record_death(self, part: Any, death: Death) -> Any:
        """Record a training that ended its process."""

    def join_parts(self, item: Any, made: Sequence[Any], seconds: tuple[float, float]) -> Any:
        """Join the results of the trainings, which took these CPU and wall seconds, to the result of the item."""


def run_apart(task: Trainings, item: Any, apart: Apart) -> Any:
    """Run each training of an item in a process of its own; `Lost` if one was killed from outside."""
    began = _clock()
    made = []
    for part in task.split_item(item):
        answer = apart(partial(task.run_part, part))
        if isinstance(answer, Answer):
            made.append(answer.get())
        elif answer.from_outside:
            return Lost()
        else:
            made.append(task.record_death(part, answer))
    cpu, wall = (now - then for now, then in zip(_clock(), began, strict=True))
    return task.join_parts(item, made, (cpu, wall))


def _clock() -> tuple[float, float]:
    """CPU seconds of this process and its ended children, and wall seconds."""
    return sum(os.times()[:4]), time.perf_counter()
