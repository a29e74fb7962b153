"""What tells D from D′ in a few trainings: a value, or a range of values, that comes on one side more often."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.scanning.walk import Value
from mlaudit.types.arrays import FloatArray

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


def best_clue(path: str, on_base: Sequence[Value], on_neighbour: Sequence[Value]) -> Clue | None:
    """The strongest clue that the values at a path give, if any."""
    if set(on_base) == set(on_neighbour) and len(set(on_base)) == 1:
        return None
    found = [*_of_texts(path, on_base, on_neighbour), *_of_numbers(path, on_base, on_neighbour)]
    return max(found, key=lambda clue: clue.strength, default=None)


def _of_texts(path: str, on_base: Sequence[Value], on_neighbour: Sequence[Value]) -> Iterator[Clue]:
    base, neighbour = (Counter(v for v in side if isinstance(v, str)) for side in (on_base, on_neighbour))
    trials = len(on_base), len(on_neighbour)
    for text, _ in (base + neighbour).most_common(_MOST_TEXTS):
        yield Clue(path, inf, -inf, text, (base[text], neighbour[text]), trials)


def _of_numbers(path: str, on_base: Sequence[Value], on_neighbour: Sequence[Value]) -> Iterator[Clue]:
    """The best single value and the best threshold."""
    sides = [np.sort([value for value in side if not isinstance(value, str)]) for side in (on_base, on_neighbour)]
    values = np.unique(np.concatenate(sides))
    if not values.size:
        return
    trials = len(on_base), len(on_neighbour)
    below = [np.searchsorted(side, values, side="right") for side in sides]
    at = [up - np.searchsorted(side, values, side="left") for up, side in zip(below, sides, strict=True)]
    best = int(np.argmax(cautious(*at)))
    value = float(values[best])
    yield Clue(path, value, value, None, (int(at[0][best]), int(at[1][best])), trials)
    above = [len(side) - up for side, up in zip(sides, below, strict=True)]
    best = int(np.argmax(np.maximum(cautious(*below), cautious(*above))))
    # Between two values that were seen, so that fresh ones fall on their own side.
    cut = float(values[best : best + 2].mean())
    yield Clue(path, -inf, cut, None, (int(below[0][best]), int(below[1][best])), trials)
