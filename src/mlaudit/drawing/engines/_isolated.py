"""Any engine, with a fresh process for every training."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, TypeVar, cast

from mlaudit.drawing.engines._careful import Trainings
from mlaudit.protocols import Engine
from mlaudit.types.checks import with_methods

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Isolated:
    """Runs every training of a learner in a fresh process, so that no training sees the state of another.

    A learner without state gives the same numbers as with the plain engine. Shipped batched samplers keep no state
    and are not isolated.

    Args:
        engine: Starts the fresh processes in its workers.

    Example:
        >>> from mlaudit import LokyEngine
        >>> sorted(Isolated(LokyEngine(1)).map_unordered(abs, [-1, 2]))
        [1, 2]
    """

    engine: Engine

    def __post_init__(self) -> None:
        with_methods("engine", self.engine, "an engine", ["map_unordered"], "write LokyEngine(2)")

    @classmethod
    def of(cls, engine: Engine) -> "Isolated":
        """The engine, isolated unless it is already."""
        return engine if isinstance(engine, cls) else cls(engine)

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Map as the engine does; tasks that are not made of trainings are not isolated."""
        if isinstance(task, Trainings) and is_dataclass(task):
            task = cast(Callable[[Item], Result], replace(cast(Any, task), isolate=True))
        return self.engine.map_unordered(task, items)
