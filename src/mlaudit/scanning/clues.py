"""What tells D from D′ in a few trainings: a value, or a range of values, that comes on one side more often."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.scanning.walk import Value
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

ABSENT = "(absent)"
_SIGMAS = 1.64  # what a handful of trainings shows is held against its own error before clues are compared
_MOST_TEXTS = 6


@dataclass(frozen=True)
class Clue:
    """Whether the value at a path lies in [low, high], or is the text; and the log-odds for D if so and if not.

    `seen` says in how many trainings on D and on D′ it did, of `trials` each.

    >>> clue = Clue("n_samples_", 100.0, 100.0, None, (10, 0), (10, 10))
    >>> clue.score(100.0) > 0 > clue.score(101.0)
    True
    """

    path: str
    low: float
    high: float
    text: str | None
    seen: tuple[int, int]
    trials: tuple[int, int]

    def score(self, value: Value) -> float:
        """Log-odds that the training was on D."""
        return self._odds(*self.seen) if self.holds(value) else self._odds(*self._missed)

    def holds(self, value: Value) -> bool:
        """Whether the value is what the clue describes."""
        if isinstance(value, str):
            return value == self.text
        return self.text is None and self.low <= value <= self.high

    @property
    def strength(self) -> float:
        """How far the log-ratio of its frequencies is from zero, less what chance does to so few trainings."""
        return float(max(cautious(*self.seen), cautious(*self._missed)))

    @property
    def total(self) -> bool:
        """Whether it came in every training on one side and in none on the other."""
        return self.seen in ((self.trials[0], 0), (0, self.trials[1]))

    @property
    def _missed(self) -> tuple[int, int]:
        return self.trials[0] - self.seen[0], self.trials[1] - self.seen[1]

    @staticmethod
    def _odds(on_base: int, on_neighbour: int) -> float:
        return log((on_base + 0.5) / (on_neighbour + 0.5))


def cautious(one: ArrayLike, other: ArrayLike) -> FloatArray:
    """A careful estimate of |ln(p/q)| from two counts of equally many trials.

    >>> cautious([100, 50, 3], [0, 50, 0]).round(2).tolist()
    [2.98, -0.33, -0.53]
    """
    p, q = np.asarray(one) + 0.5, np.asarray(other) + 0.5
    return np.asarray(np.abs(np.log(p / q)) - _SIGMAS * np.sqrt(1 / p + 1 / q))


def best_clues(sides: Mapping[str, tuple[Sequence[Value], Sequence[Value]]]) -> list[Clue]:
    """The best clue of every path, from its values on D and on D′.

    >>> best_clues({"n_": ([100.0] * 9, [101.0] * 9)})[0].total
    True
    """
    numeric = [path for path, (a, b) in sides.items() if not any(isinstance(value, str) for value in (*a, *b))]
    return [*_by_number(numeric, sides), *_by_text(sides.keys() - set(numeric), sides)]


def _by_text(paths: Iterable[str], sides: Mapping[str, tuple[Sequence[Value], Sequence[Value]]]) -> Iterator[Clue]:
    """The best text, where texts come at all: numbers beside them count as not that text."""
    for path in sorted(paths):
        base, neighbour = (Counter(v for v in side if isinstance(v, str)) for side in sides[path])
        trials = len(sides[path][0]), len(sides[path][1])
        texts = (base + neighbour).most_common(_MOST_TEXTS)
        found = [Clue(path, inf, -inf, text, (base[text], neighbour[text]), trials) for text, _ in texts]
        yield max(found, key=lambda clue: clue.strength)


def _by_number(paths: Sequence[str], sides: Mapping[str, tuple[Sequence[Value], Sequence[Value]]]) -> Iterator[Clue]:
    """The best single value or threshold of each path, all paths at once."""
    if not paths:
        return
    trials = len(sides[paths[0]][0]), len(sides[paths[0]][1])
    values = np.array([[*sides[path][0], *sides[path][1]] for path in paths], dtype=float)
    order = np.argsort(values, axis=1, kind="stable")
    values = np.take_along_axis(values, order, axis=1)
    last = np.append(values[:, 1:] != values[:, :-1], np.full((len(values), 1), fill_value=True), axis=1)
    below: tuple[IntArray, ...] = tuple(np.cumsum(side, axis=1) for side in (order < trials[0], order >= trials[0]))
    at = tuple(_steps(upto, last) for upto in below)
    above = tuple(total - upto for total, upto in zip(trials, below, strict=True))
    alone = np.where(last, cautious(*at), -inf)
    cut = np.where(last, np.maximum(cautious(*below), cautious(*above)), -inf)
    for row, path in enumerate(paths):
        one, upto = int(alone[row].argmax()), int(cut[row].argmax())
        if alone[row, one] >= cut[row, upto]:
            value = float(values[row, one])
            yield Clue(path, value, value, None, (int(at[0][row, one]), int(at[1][row, one])), trials)
        else:
            # Between two values that were seen, so that fresh ones fall on their own side.
            middle = float(values[row, upto : upto + 2].mean())
            yield Clue(path, -inf, middle, None, (int(below[0][row, upto]), int(below[1][row, upto])), trials)


def _steps(upto: IntArray, last: BoolArray) -> IntArray:
    """How many there are of each value, where its last place is, from how many there are up to each place."""
    before = np.maximum.accumulate(np.where(last, upto, 0), axis=1)
    return np.asarray(upto - np.append(np.zeros((len(upto), 1), dtype=upto.dtype), before[:, :-1], axis=1))
