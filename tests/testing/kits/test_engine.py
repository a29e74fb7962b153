"""The kit of engines tells every way in which an engine can break its contract."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told

from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.testing.engine import check_engine


class Drops(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        return map(task, items[:20])


class Repeats(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        return map(task, [*items[:1], *items])


class Rounds(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        return ((item, numbers.round(9)) for item, numbers in map(task, items))


class Invents(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        return map(task, items or [0])


class NeedsItems(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        yield task(items[0])
        yield from map(task, items[1:])


class Merges(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        return map(task, set(items))


class SkipsNone(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        return filter(None, map(task, items))


class Swallows(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        for item in items:
            try:
                yield task(item)
            except Exception:  # noqa: BLE001 - the fault
                continue


class Wraps(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        try:
            yield from map(task, items)
        except Exception as error:
            raise RuntimeError("a worker failed") from error


class Rewords(InProcess):
    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        try:
            yield from map(task, items)
        except Exception as error:
            raise type(error)("a worker failed") from error


@dataclass(frozen=True)
class Leaves:
    """What its caller left is handed to the next one."""

    queue: list[Any] = field(default_factory=list)

    def map_unordered(self, task: Any, items: Sequence[Any]) -> Iterator[Any]:
        self.queue.extend(items)
        while self.queue:
            yield task(self.queue.pop())


ONCE, BITS = "every item gives exactly one result", "results are those of this process, to the last bit"
NOTHING, EQUAL = "no items give no results", "equal items are done once each"
NONE, RAISED = "None is a result like any other", "an exception of a task reaches the caller"
AGAIN = "it works again after its caller stopped early"
FAULTS = [
    Fault(Drops(), ONCE, "30 items gave the results of"),
    Fault(Repeats(), ONCE, "1 items gave the results of [100, 100]"),
    Fault(object(), ONCE, "with a method map_unordered, got object"),
    Fault(Rounds(), BITS, "item 0 gave"),
    Fault(Invents(), NOTHING, "an empty list gave"),
    Fault(NeedsItems(), NOTHING, "raised IndexError"),
    Fault(Merges(), EQUAL, "3 equal items gave 1 results"),
    Fault(SkipsNone(), NONE, "gave []"),
    Fault(Swallows(), RAISED, "did not arrive, 5 results did"),
    Fault(Wraps(), RAISED, "arrived as RuntimeError"),
    Fault(Rewords(), RAISED, "arrived as ZeroDivisionError('a worker failed')"),
    Fault(Leaves(), AGAIN, "the next 5 items gave"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_engine_is_told(fault: Fault) -> None:
    assert_told(fault, check_engine(fault.part))


def test_every_check_can_fail() -> None:
    checks = check_engine(InProcess())
    assert_healthy(checks)
    assert_every_check_can_fail(FAULTS, checks)
