"""The contract of an engine: every result once, exceptions reach the caller, numbers are those of this process."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import default_rng

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Engine
from mlaudit.testing.checks import Check, check
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import quote, with_methods

_SIZES = (1, 2, 30)  # engines may take a shorter way for a single item
_BAD = 3


@dataclass(frozen=True)
class Simulate:
    """A task as mlaudit sends them: a frozen dataclass that carries data."""

    shift: tuple[float, ...] = (0.5, -0.0, 1e-310)

    def __call__(self, item: int) -> tuple[int, FloatArray]:
        """The item, and numbers that depend on it alone."""
        return item, default_rng(item).normal(size=len(self.shift)) + np.asarray(self.shift)


@dataclass(frozen=True)
class Answer:
    """A task that returns the same for every item."""

    value: object = None

    def __call__(self, item: int) -> object:
        """The value, whatever the item is."""
        return self.value


@dataclass(frozen=True)
class Fail:
    """A task that raises at one item."""

    kind: type[Exception]
    text: str

    def __call__(self, item: int) -> int:
        """The item, or the exception."""
        if item == _BAD:
            raise self.kind(self.text)
        return item


def check_engine(engine: Engine) -> list[Check]:
    """Check an engine against what mlaudit expects of it.

    The checks run about 150 tasks that take no time.

    Args:
        engine: The engine. Its workers must be able to import mlaudit.

    Returns:
        One check for each expectation.

    Example:
        >>> from mlaudit.drawing.engines.in_process import InProcess
        >>> [str(result) for result in check_engine(InProcess()) if not result.passed]
        []
    """
    return [
        check("every item gives exactly one result", lambda: _find_lost(engine)),
        check("results are those of this process, to the last bit", lambda: _find_changed(engine)),
        check("no items give no results", lambda: _find_invented(engine)),
        check("equal items are done once each", lambda: _find_merged(engine)),
        check("None is a result like any other", lambda: _find_missing_none(engine)),
        check("an exception of a task reaches the caller", lambda: _find_swallowed(engine)),
        check("it works again after its caller stopped early", lambda: _find_stuck(engine)),
    ]


def _run(engine: Engine, task: Callable[[int], Any], items: Sequence[int]) -> list[Any]:
    with_methods("it", engine, "an engine", ["map_unordered"], "write map_unordered(self, task, items)")
    return list(engine.map_unordered(task, items))


def _find_lost(engine: Engine) -> str:
    for n in _SIZES:
        found = sorted(item for item, _ in _run(engine, Simulate(), range(100, 100 + n)))
        if found != list(range(100, 100 + n)):
            return f"{n} items gave the results of {quote(found)}; yield task(item) once for each item"
    return ""


def _find_changed(engine: Engine) -> str:
    task, items = Simulate(), range(8)
    wanted = {item: numbers.tobytes() for item, numbers in map(task, items)}
    for item, numbers in _run(engine, task, items):
        if np.asarray(numbers).tobytes() != wanted[item]:
            return f"item {item} gave {numbers}, and {task(item)[1]} here; return what the task returned, unchanged"
    return ""


def _find_invented(engine: Engine) -> str:
    found = _run(engine, Simulate(), [])
    return "" if not found else f"an empty list gave {quote(found)}; yield nothing"


def _find_merged(engine: Engine) -> str:
    found = len(_run(engine, Simulate(), [7, 7, 7]))
    return "" if found == 3 else f"3 equal items gave {found} results; tell items apart by their position"


def _find_missing_none(engine: Engine) -> str:
    found = _run(engine, Answer(None), range(4))
    return "" if found == [None] * 4 else f"4 tasks that return None gave {quote(found)}; yield None as well"


def _find_swallowed(engine: Engine) -> str:
    errors = (ZeroDivisionError("no rows left"), InvalidInput("rows must be at least 1, got 0"))
    for error in errors:
        try:
            found = _run(engine, Fail(type(error), str(error)), range(6))
        except type(error) as raised:
            if str(error) in str(raised):
                continue
            return f"{error!r} arrived as {raised!r}; raise the task's own exception"
        except Exception as raised:  # noqa: BLE001 - whatever the engine made of it
            return f"{error!r} arrived as {type(raised).__name__}; raise the task's own exception"
        return f"{error!r} did not arrive, {len(found)} results did; raise the task's exception in map_unordered"
    return ""


def _find_stuck(engine: Engine) -> str:
    results: Iterator[Any] = iter(engine.map_unordered(Simulate(), range(20)))
    next(results)
    close = getattr(results, "close", None)
    if close is not None:
        close()
    found = len(_run(engine, Simulate(), range(5)))
    return "" if found == 5 else f"the next 5 items gave {found} results; start each call of map_unordered anew"
