"""Any engine, with a process of its own for every training."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, TypeVar, cast

from mlaudit.engines._careful import Trainings
from mlaudit.protocols import Engine

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Isolated:
    """Runs every training of a learner in a fresh process, so that none sees what another left behind.

    A learner that keeps no state gives the same numbers as without. Shipped samplers that draw many trainings at once
    are mlaudit's own code, keep no state, and run as without.

    Args:
        engine: Starts the fresh processes in its workers.

    Example:
        >>> from mlaudit import JoblibEngine
        >>> sorted(Isolated(JoblibEngine(1)).map_unordered(abs, [-1, 2]))
        [1, 2]
    """

    engine: Engine

    @classmethod
    def of(cls, engine: Engine) -> "Isolated":
        """The engine, isolated once."""
        return engine if isinstance(engine, cls) else cls(engine)

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """As the engine does; tasks that are not made of trainings run as they are."""
        if isinstance(task, Trainings) and is_dataclass(task):
            task = cast(Callable[[Item], Result], replace(cast(Any, task), isolate=True))
        return self.engine.map_unordered(task, items)
