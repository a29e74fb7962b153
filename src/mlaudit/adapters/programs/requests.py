"""Ask programs for trainings; a program that ends is started anew, and a training that ends it is an output."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from numpy.random import SeedSequence

from mlaudit.adapters.programs.pool import Launch, Running, keep_idle, take_idle
from mlaudit.adapters.programs.process import LONGEST_LINE, Ended, Flooded, ProgramProcess, Silent
from mlaudit.adapters.programs.protocol import Facts, check_done, read_hello, read_object, read_output
from mlaudit.drawing.deaths import Death, DiedElsewhere
from mlaudit.drawing.engines._losses import Losses
from mlaudit.errors import InvalidInput, ProgramFailed
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import measurement

Call = Callable[[], Any]
_MOST_WORKING = 100_000  # lines in a row that say no more than that the program works
_LINES = 20  # of standard error that an error shows


def say_hello(launch: Launch) -> Facts:
    """Start a program and return what it says of itself; it is kept for the first trainings."""
    running = take_idle(launch) or _start(launch)
    keep_idle(running)
    return running.facts


def train_many(launch: Launch, data: Dataset, seeds: Sequence[SeedSequence]) -> tuple[list[Call], float]:
    """One call for each seed, and the CPU seconds that the program took.

    All seeds are one request. If the program ends before the last answer, the rest is asked one by one. A training
    that ends a program which was started for it alone is an output: a `Death`. Whether a training is one does not
    depend on how trainings are cut into requests.
    """
    batch = _Batch(launch, data)
    calls: list[Call] = []
    try:
        with batch.borrow() as running:
            batch.collect(running, seeds, calls)
    except _Died:
        while len(calls) < len(seeds):
            calls.append(batch.train_one(seeds[len(calls)]))
    return calls, batch.seconds


class _Died(Exception):
    """The program ended before it had answered."""

    def __init__(self, death: Death, *, fresh: bool) -> None:
        super().__init__(death.kind)
        self.death, self.fresh = death, fresh


@dataclass(eq=False)
class _Batch:
    """Requests for trainings on one dataset."""

    launch: Launch
    data: Dataset
    seconds: float = 0.0
    losses: Losses = field(default_factory=Losses)

    def train_one(self, seed: SeedSequence) -> Call:
        """Ask for one training; after a death once more, in a program that has trained nothing before."""
        alone = False
        while True:
            calls: list[Call] = []
            try:
                with self.borrow(fresh=alone) as running:
                    self.collect(running, [seed], calls)
            except _Died as died:
                if died.death.from_outside:
                    self.losses.count(0)
                elif calls:  # it ended after its answer
                    self.losses.reset()
                    return calls[0]
                elif died.fresh:
                    self.losses.reset()
                    return _Dead(died.death)
                alone = True
            else:
                self.losses.reset()
                return calls[0]

    @contextmanager
    def borrow(self, *, fresh: bool = False) -> Iterator[Running]:
        """A program to ask; it is kept for the next request, unless something was wrong."""
        running = None if fresh else take_idle(self.launch)
        running = running or _start(self.launch)
        began = 0.0 if running.fresh else running.process.cpu_seconds()  # the first request pays for the start
        try:
            yield running
        except BaseException:
            running.process.end()
            raise
        self.seconds += running.process.cpu_seconds() - began
        keep_idle(running)

    def collect(self, running: Running, seeds: Sequence[SeedSequence], calls: list[Call]) -> None:
        """Append the answers to the calls as they come, so that none is lost if the program ends."""
        fresh = running.fresh
        try:
            with _explain(running):
                running.ask(self.data, seeds)
                for _ in seeds:  # one by one: what has come must be there if the program ends
                    calls.append(_read_answer(running))  # noqa: PERF401
                _read_done(running)
        except Ended:
            death = running.process.await_death()
            if death is None:
                _fail(running, "must keep its standard output open until its input ends, got a closed output")
            raise _Died(death, fresh=fresh) from None


@dataclass(frozen=True)
class _Dead:
    """A training that ended its program."""

    death: Death

    def __call__(self) -> Any:
        raise DiedElsewhere(self.death)


def _start(launch: Launch) -> Running:
    try:
        process = ProgramProcess(launch.words, launch.folder)
    except OSError as error:
        raise ProgramFailed(f"{launch.words[0]} must be a program that can be started, got: {error}") from error
    running = Running(launch, process)
    try:
        with _explain(running):
            process.send(launch.hello, running.patience)
            running.facts = read_hello(_read_line(running))
    except Ended:
        _fail(running, f"must answer the hello, got none: it {_say_end(process.await_death())}")
    except BaseException:
        process.end()
        raise
    return running


def _say_end(death: Death | None) -> str:
    """How a program ended before its hello."""
    if death is None:
        return "closed its standard output"
    return ("was killed (" if death.code < 0 else "ended (") + death.kind.partition("(")[2]


def _read_line(running: Running) -> bytes:
    """The next line that says something."""
    for _ in range(_MOST_WORKING):
        line = running.process.read_line(running.patience)
        if not (line.startswith(b"{") and b'"working"' in line and read_object(line).get("type") == "working"):
            return line
    raise Flooded


def _read_answer(running: Running) -> Call:
    line = _read_line(running)
    return read_output(read_object(line), line)


def _read_done(running: Running) -> None:
    """The line after the last answer: without it, a line too many would answer the next request."""
    try:
        line = _read_line(running)
    except Silent:
        limit = measurement(running.patience)
        _fail(running, f'must print {{"type":"done"}} after the last answer, got nothing for {limit} seconds')
    check_done(line)


@contextmanager
def _explain(running: Running) -> Iterator[None]:
    """Turn whatever is wrong with a program into one error, with its last lines."""
    try:
        yield
    except Silent:
        limit = measurement(running.patience)
        _fail(
            running,
            f'must print a line at least every {limit} seconds, got none; print {{"type": "working"}} meanwhile, or '
            'state more "patience" in the hello',
        )
    except Flooded:
        limit = f"{LONGEST_LINE >> 20} MB"
        _fail(running, f"must print no more than one line for each seed, of at most {limit}, got more")
    except InvalidInput as error:
        _fail(running, f"does not keep to the protocol: {error}")


def _fail(running: Running, sentence: str) -> NoReturn:
    """End the program and raise the error."""
    said = "\n".join(running.process.last_lines().splitlines()[-_LINES:])
    running.process.end()
    command = " ".join(running.launch.words)
    tail = f"\nits last lines on standard error:\n{said}" if said else "\nit has printed nothing to standard error"
    raise ProgramFailed(f"`{command}` {sentence}{tail}")
