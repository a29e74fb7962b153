"""What a person sees on a terminal: text without control characters and, while a command works, a status, then a bar.

Every command shows its progress through this module, and none where stderr is a file. tqdm is imported with the first
bar: a usage error needs none.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

_CLEAR = "\r\x1b[K"  # to the start of the line, and nothing behind
_CONTROL = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    """The text without control characters: what a file says must not move the cursor or clear the screen.

    >>> printable("a" + chr(27) + "[2Jb" + chr(10)) == "a" + chr(0xFFFD) + "[2Jb" + chr(10)
    True
    """
    return text.translate(_CONTROL)


def show_status(words: str, *, show: bool) -> None:
    """Say what is going on before there is a bar; the next status, or the bar, takes its place."""
    if show and sys.stderr.isatty():
        sys.stderr.write(f"{_CLEAR}{words} …")
        sys.stderr.flush()


def clear_status() -> None:
    """Take the status off the terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()


@contextmanager
def open_bar(total: int | None, *, show: bool, **look: Any) -> Iterator["tqdm[Any]"]:
    """A bar with rate and time left, where the total is known; it is cleared at its end.

    Args:
        total: How many there are.
        show: Whether it is to be seen.
        **look: Further arguments of tqdm.
    """
    from tqdm import tqdm

    hidden = not show or not sys.stderr.isatty()
    if not hidden:
        clear_status()
    bar: tqdm[Any]
    with tqdm(total=total, disable=hidden, dynamic_ncols=True, leave=False, **look) as bar:
        yield bar


@contextmanager
def count_audits(total: int, *, show: bool) -> Iterator[Callable[[], None]]:
    """A bar that counts audits; yields the function that counts one."""
    with open_bar(total, show=show, unit=" audits") as bar:

        def count_one() -> None:
            bar.update()

        yield count_one


@contextmanager
def count_trainings(total: int | None, *, show: bool) -> Iterator["Meter"]:
    """A bar that counts trainings; yields what an audit tells its progress."""
    with open_bar(total, show=show, unit=" trainings") as bar:
        yield Meter(bar)


@dataclass
class Meter:
    """Counts trainings on a bar, and CPU seconds here and in the worker processes."""

    bar: "tqdm[Any]"
    began: float = field(default_factory=time.process_time)
    drawing: float = 0.0
    words: str = ""
    alive: bool = False  # whether a training has come back

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        """So many trainings more; those that several candidates share are counted once."""
        self.drawing += cpu_seconds
        if trainings and not self.alive:
            self.alive = True
            self.start_phase(self.words)
        self.bar.update(self._limit(trainings))

    def count_restored(self, trainings: int) -> None:
        """So many were in the store: the bar moves on, and its rate stays that of fresh trainings."""
        if self.bar.disable or not trainings:
            return
        counted = self._limit(trainings)
        self.bar.n += counted
        self.bar.initial += counted
        self.bar.last_print_n += counted
        self.bar.refresh()

    def start_phase(self, words: str) -> None:
        """What is going on; processes take seconds to start, in which nothing else would be seen."""
        self.words = words
        # Without a total tqdm writes a colon of its own.
        describe = self.bar.set_description_str if self.bar.total is None else self.bar.set_description
        describe(words if self.alive else f"{words}, starting")

    def _limit(self, trainings: int) -> int:
        return trainings if self.bar.total is None else min(trainings, int(self.bar.total - self.bar.n))

    @property
    def cpu_seconds(self) -> float:
        """What it has cost so far, all processes together."""
        return time.process_time() - self.began + self.drawing
