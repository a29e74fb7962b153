"""No other process: for debuggers, and for learners whose effects on this process are wanted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class InProcess:
    """Runs every training in this very process, one after the other.

    The learner sees everything that this process has changed at run time, as a patched library. A training that ends
    its process ends this one.

    Example:
        >>> sorted(InProcess().map_unordered(abs, [-1, 2, -3]))
        [1, 2, 3]
    """

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of task(item), in order."""
        return map(task, items)
