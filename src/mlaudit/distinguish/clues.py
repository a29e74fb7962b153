"""Clues: a value, or a range of values, that occurs more often in trainings on D than on D′ or the reverse."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

Value = float | str  # of an attribute, or of an answer, of a model

ABSENT = "(absent)"
_SIGMAS = 1.64  # standard errors subtracted before clues from few trainings are compared
_MOST_TEXTS = 6


@dataclass(frozen=True)
class Clue:
    """Whether the value at a path lies in [low, high], or equals the text, with the log-odds for D in either case.

    `seen` counts the trainings on D and on D′ in which it did, out of `trials`.

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
        """Return the log-odds that the training was on D."""
        return self._odds(*self.seen) if self.holds(value) else self._odds(*self._missed)

    def holds(self, value: Value) -> bool:
        """Whether the value is what the clue describes."""
        if isinstance(value, str):
            return value == self.text
        return self.text is None and self.low <= value <= self.high

    @property
    def strength(self) -> float:
        """The size of the log-ratio of its frequencies, minus a multiple of its standard error."""
        return float(max(cautious_log_ratio(*self.seen), cautious_log_ratio(*self._missed)))

    @property
    def total(self) -> bool:
        """Whether it occurred in every training on one dataset and in none on the other."""
        return self.seen in ((self.trials[0], 0), (0, self.trials[1]))

    @property
    def _missed(self) -> tuple[int, int]:
        return self.trials[0] - self.seen[0], self.trials[1] - self.seen[1]

    @staticmethod
    def _odds(on_base: int, on_neighbour: int) -> float:
        return log((on_base + 0.5) / (on_neighbour + 0.5))


def cautious_log_ratio(one: ArrayLike, other: ArrayLike) -> FloatArray:
    """Return |ln(p/q)| minus a multiple of its standard error, from two counts of equally many trials.

    >>> cautious_log_ratio([100, 50, 3], [0, 50, 0]).round(2).tolist()
    [2.98, -0.33, -0.53]
    """
    p, q = np.asarray(one) + 0.5, np.asarray(other) + 0.5
    return np.asarray(np.abs(np.log(p / q)) - _SIGMAS * np.sqrt(1 / p + 1 / q))


def best_clues(sides: Mapping[str, tuple[Sequence[Value], Sequence[Value]]]) -> list[Clue]:
    """Return the best clue of every path, from its values on D and on D′.

    >>> best_clues({"n_": ([100.0] * 9, [101.0] * 9)})[0].total
    True
    """
    numeric = [path for path, (a, b) in sides.items() if not any(isinstance(value, str) for value in (*a, *b))]
    return [*_best_numbers(numeric, sides), *_best_texts(sides.keys() - set(numeric), sides)]


def _best_texts(paths: Iterable[str], sides: Mapping[str, tuple[Sequence[Value], Sequence[Value]]]) -> Iterator[Clue]:
    """Yield the best text of each path; a number counts as not that text."""
    for path in sorted(paths):
        base, neighbour = (Counter(v for v in side if isinstance(v, str)) for side in sides[path])
        trials = len(sides[path][0]), len(sides[path][1])
        texts = (base + neighbour).most_common(_MOST_TEXTS)
        found = [Clue(path, inf, -inf, text, (base[text], neighbour[text]), trials) for text, _ in texts]
        yield max(found, key=lambda clue: clue.strength)


def _best_numbers(
    paths: Sequence[str], sides: Mapping[str, tuple[Sequence[Value], Sequence[Value]]]
) -> Iterator[Clue]:
    """Yield the best single value or threshold of each path, computed for all paths at once."""
    if not paths:
        return
    trials = len(sides[paths[0]][0]), len(sides[paths[0]][1])
    values = np.array([[*sides[path][0], *sides[path][1]] for path in paths], dtype=float)
    order = np.argsort(values, axis=1, kind="stable")
    values = np.take_along_axis(values, order, axis=1)
    last = np.append(values[:, 1:] != values[:, :-1], np.full((len(values), 1), fill_value=True), axis=1)
    below: tuple[IntArray, ...] = tuple(np.cumsum(side, axis=1) for side in (order < trials[0], order >= trials[0]))
    at = tuple(_count_values(upto, last) for upto in below)
    above = tuple(total - upto for total, upto in zip(trials, below, strict=True))
    alone = np.where(last, cautious_log_ratio(*at), -inf)
    cut = np.where(last, np.maximum(cautious_log_ratio(*below), cautious_log_ratio(*above)), -inf)
    for row, path in enumerate(paths):
        one, upto = int(alone[row].argmax()), int(cut[row].argmax())
        if alone[row, one] >= cut[row, upto]:
            value = float(values[row, one])
            yield Clue(path, value, value, None, (int(at[0][row, one]), int(at[1][row, one])), trials)
        else:
            # Halfway between two observed values, so that fresh ones fall on their own side.
            middle = float(values[row, upto : upto + 2].mean())
            yield Clue(path, -inf, middle, None, (int(below[0][row, upto]), int(below[1][row, upto])), trials)


def _count_values(upto: IntArray, last: BoolArray) -> IntArray:
    """Return how often each value occurs, at its last position, from the cumulative counts."""
    before = np.maximum.accumulate(np.where(last, upto, 0), axis=1)
    return np.asarray(upto - np.append(np.zeros((len(upto), 1), dtype=upto.dtype), before[:, :-1], axis=1))
