"""Runs trainings in this process: for debuggers, and for learners that must see the state of this process."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class InProcess:
    """Runs every training in this process, one after the other.

    The learner sees everything that was changed in this process at run time, such as a patched library. A training
    that ends its process ends this process.

    Example:
        >>> sorted(InProcess().map_unordered(abs, [-1, 2, -3]))
        [1, 2, 3]
    """

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of task(item), in order."""
        return map(task, items)
