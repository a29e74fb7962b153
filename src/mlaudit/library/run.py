"""audit_library(): test the claim of every item under one α."""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from mlaudit.drawing.progress import Progress, ProgressFunction, as_progress
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.errors import AuditError, Incomplete, StoreError
from mlaudit.library.item import Item, read_items
from mlaudit.library.result import Entry, LibraryResult
from mlaudit.protocols import Engine, Store
from mlaudit.refuting.result import ClaimTest
from mlaudit.refuting.run import refute
from mlaudit.types.checks import real, whole

_APART = 1000  # seeds: a test takes its own and the next ones
_TRACEBACK = "Traceback (most recent call last):"


class Slot(Protocol):
    """Where the test of one item is kept."""

    @property
    def store(self) -> Store:
        """Where its trainings are kept."""
        ...

    def read(self) -> Entry | None:
        """The entry of an earlier run, if there is one."""
        ...

    def keep(self, result: ClaimTest, cpu_seconds: float) -> None:
        """Keep a result."""
        ...


@dataclass
class InMemory:
    """Keeps nothing."""

    store: Store = field(default_factory=MemoryStore)

    def read(self) -> Entry | None:
        """Nothing was kept."""
        return None

    def keep(self, result: ClaimTest, cpu_seconds: float) -> None:
        """Keep nothing."""


OpenSlot = Callable[[Item], AbstractContextManager[Slot]]


def audit_library(  # noqa: PLR0913 - every argument but the first has a default
    items: Iterable[Item] | Callable[[], Iterable[Item]],
    *,
    library: str = "items",
    version: str = "",
    effort: str = "ci",
    measure: int | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    engine: Engine | None = None,
    open_slot: OpenSlot = lambda _: nullcontext(InMemory()),
    progress: ProgressFunction | None = None,
) -> LibraryResult:
    """Test the claim of every item of a catalogue.

    Each item gets an equal share of alpha. So the probability that any true claim is refuted is at most alpha. The
    seed of an item follows from its name: a catalogue may grow without new numbers for old items, up to the share.

    Args:
        items: The items, or a function that returns them.
        library: What the catalogue is called.
        version: The version of the library.
        effort: "smoke", "ci" or "nightly", for each item.
        measure: Fresh trainings that state a tight bound for the worst pair of each item. An item with its own number
            of trainings, because it is slow, gets at most so many. Default: none.
        alpha: The probability at most with which any true claim is refuted.
        seed: What the seeds of the items are made from.
        engine: Where trainings run. Default: a child of this process.
        open_slot: Where the test of an item is kept. Default: in memory.
        progress: A function of (trainings, cpu_seconds), called for every finished block.

    Returns:
        One entry for each item, with the test of its claim, or with the reason why it could not be tested.

    Raises:
        InvalidInput: If an argument has a wrong value.
        Incomplete: If the audit was interrupted.

    Example:
        >>> from mlaudit import Box, Claim, Dataset
        >>> data = Dataset([0.0, 1.0], domain=Box([0.0], [1.0]))
        >>> exact = Item("exact sum", lambda data, rng: data.X.sum(), Claim(1.0), data)
        >>> audit_library([exact], effort="smoke").verdicts
        {'violated': 1}
    """
    chosen = read_items(items, library)
    share = real("alpha", alpha, 0, 1) / len(chosen)
    whole("seed", seed, 0)
    told = as_progress(progress)
    entries = []
    for position, item in enumerate(chosen, start=1):
        clock = _Clock(told, f"{position} of {len(chosen)}, {item.name}")
        try:
            with open_slot(item) as slot:
                entries.append(slot.read() or _test(item, share, effort, measure, seed, engine, slot, clock))
        except (Incomplete, StoreError):
            raise
        except AuditError as error:  # of this item: the others can be tested all the same
            entries.append(Entry(item.name, None, say_in_a_line(str(error)), clock.cpu_seconds))
    return LibraryResult(library, version, alpha, effort, seed, tuple(entries))


def say_in_a_line(message: str) -> str:
    r"""The message in one line; of a traceback, what was raised.

    >>> say_in_a_line("all trainings raised:\nTraceback (most recent call last):\n  File 'a'\nKeyError: 'a'")
    "all trainings raised: KeyError: 'a'"
    """
    before, traceback, after = message.partition(_TRACEBACK)
    lines = [before, *after.strip().splitlines()[-1:]] if traceback else [message]
    return " ".join(" ".join(lines).split())


def _test(
    item: Item,
    share: float,
    effort: str,
    measure: int | None,
    seed: int,
    engine: Engine | None,
    slot: Slot,
    clock: "_Clock",
) -> Entry:
    most = None if measure is None else min(measure, item.trainings or measure)
    result = refute(
        item.learner,
        item.data,
        pair=item.pair,
        claim=item.claim,
        effort=effort,
        trainings=item.trainings,
        measure=most,
        alpha=share,
        seed=choose_seed(item, seed),
        engine=engine,
        store=slot.store,
        progress=clock,
    )
    slot.keep(result, clock.cpu_seconds)
    return Entry(item.name, result, "", clock.cpu_seconds)


def choose_seed(item: Item, seed: int) -> int:
    """The seed of an item, far from those of the others.

    >>> choose_seed(Item("sum", len), 0) % 1000, choose_seed(Item("sum", len), 0) == choose_seed(Item("mean", len), 0)
    (0, False)
    """
    return _APART * int.from_bytes(sha256(f"{seed}/{item.name}".encode()).digest()[:6], "big")


@dataclass
class _Clock:
    """Counts the CPU seconds of one item, here and in worker processes, and tells the progress on."""

    told: Progress
    name: str
    began: float = field(default_factory=time.process_time)
    drawing: float = 0.0

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        self.drawing += cpu_seconds
        self.told(trainings, cpu_seconds)

    def count_restored(self, trainings: int) -> None:
        """So many were in the store."""
        self.told.count_restored(trainings)

    def start_phase(self, words: str) -> None:
        """What is going on, with the item."""
        self.told.start_phase(f"{self.name}: {words}")

    @property
    def cpu_seconds(self) -> float:
        """So far."""
        return time.process_time() - self.began + self.drawing
