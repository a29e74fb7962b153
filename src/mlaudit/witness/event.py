"""An output set S that anybody can check: a number or a sum below a threshold, an exact value, a kind of output."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np

from mlaudit.distinguish.clues import Clue, best_clues
from mlaudit.types.arrays import FloatArray
from mlaudit.types.draws import Draws

_KIND, _SUM = "kind", "sum"
_SCRIPTS = (50, 100, 200, 400, 1000, 2000, 5000, 10_000, 20_000)  # trainings of each side
_SURE = 4.0  # standard errors by which a script is to pass
_ASKED = 3.0  # by which it must


@dataclass(frozen=True)
class Event:
    """An output set S, or its complement, and its shares in fresh trainings on D and on D′.

    The clue tests a kind of output, one number of the output, or their sum with `weights`.
    """

    clue: Clue
    holds: bool
    on_base: float
    on_neighbour: float
    weights: tuple[float, ...] = ()

    @property
    def kind(self) -> str | None:
        """The kind of output that the clue tests; None if it tests numbers."""
        return self.clue.text

    @property
    def coordinate(self) -> int:
        """The index of the number that the clue tests."""
        return int(self.clue.path)

    @property
    def exact(self) -> bool:
        """Whether the clue tests for a single value."""
        return self.kind is None and self.clue.low == self.clue.high

    @property
    def total(self) -> bool:
        """Whether the event told D from D′ in every training."""
        return {self.on_base, self.on_neighbour} == {0.0, 1.0}

    @property
    def log_ratio(self) -> float:
        """|ln(p/q)|, infinite if one of them is 0."""
        low, high = sorted((self.on_base, self.on_neighbour))
        return inf if low == 0 < high else 0.0 if high == 0 else log(high / low)


def find_event(draws: Draws, fresh: Draws) -> Event:
    """Find the event that tells D from D′ best in `draws`, and count it on `fresh` ones."""
    weights = _weights(draws)
    clue = max(best_clues(_sides(draws, weights)), key=lambda one: one.strength)
    p, q = (float(np.mean([clue.holds(value) for value in side])) for side in _sides(fresh, weights)[clue.path])
    inside = abs(_safe_log(p) - _safe_log(q)) >= abs(_safe_log(1 - p) - _safe_log(1 - q))
    shares = (p, q) if inside else (1 - p, 1 - q)
    return Event(clue, inside, *shares, tuple(weights.tolist()) if clue.path == _SUM else ())


def trainings_needed(event: Event, loss: float) -> int | None:
    """How many trainings of each side show a loss above the claimed one; None if 20 000 would not."""
    low, high = sorted((event.on_base, event.on_neighbour))
    return next((n for n in _SCRIPTS if margin(high, low, n, _SURE) > loss), None)


def margin(p: float, q: float, n: int, sigmas: float = _ASKED) -> float:
    """ln(p/q) with each share so many standard errors on the cautious side.

    >>> margin(1.0, 0.0, 400) > 4 > margin(1.0, 0.0, 50) > margin(0.5, 0.5, 50)
    True
    """
    least, most = p - sigmas * sqrt(p * (1 - p) / n), q + sigmas * sqrt(q * (1 - q) / n) + 3 / n
    return log(least / most) if least > 0 else -inf


def _safe_log(share: float) -> float:
    return log(max(share, exp(-20)))


def _weights(draws: Draws) -> FloatArray:
    """Each number's shift over its variance, rounded: the best weights if the numbers were independent."""
    if not np.isfinite(draws.z).all():
        return np.empty(0)
    a, b = (draws.z[draws.labels == label] for label in (1, 0))
    spread = (a.var(axis=0) + b.var(axis=0)) / 2
    best = np.divide(b.mean(axis=0) - a.mean(axis=0), spread, out=np.zeros(a.shape[1]), where=spread > 0)
    return np.asarray(np.round(best / max(np.abs(best).max(), 1e-300), 2) + 0.0)


def _sides(draws: Draws, weights: FloatArray) -> dict[str, tuple[Sequence[float | str], Sequence[float | str]]]:
    """The values of each number, of their sum and of the kind of output, on D and on D′."""
    base, other = draws.labels == 1, draws.labels == 0
    sides: dict[str, tuple[Sequence[float | str], Sequence[float | str]]] = {
        _KIND: (draws.kinds[base].tolist(), draws.kinds[other].tolist())
    }
    finite = np.flatnonzero(np.isfinite(draws.z).all(axis=0))
    if np.count_nonzero(weights) > 1 and len(weights) == draws.z.shape[1] == len(finite):
        summed = draws.z @ weights
        sides[_SUM] = (summed[base].tolist(), summed[other].tolist())
    return sides | {str(j): (draws.z[base, j].tolist(), draws.z[other, j].tolist()) for j in finite}
