"""The contract of an attack: D with exactly so many rows changed, inside the domain."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.attacks._surrogates import LogisticSurrogate
from mlaudit.protocols import Attack, ChangesRows, Observes
from mlaudit.testing.checks import Check, check
from mlaudit.testing.loose_names import describe_loose_methods
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, L2Ball
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class PlainLearner:
    """Noisy column sums with a domain of either shape: something for an attack to aim at."""

    ball: bool = False
    claim: Claim = Claim(1.0)  # noqa: RUF009 - frozen

    def domain(self, data: Dataset) -> Domain:
        """The smallest of its shape around D."""
        return L2Ball.enclosing(data.X, (0, 1)) if self.ball else Box.enclosing(data.X, (0, 1))

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        """Noisy sums."""
        return np.asarray(data.X.sum(axis=0) + default_rng(seed).laplace(size=data.X.shape[1]))

    def surrogate(self, data: Dataset) -> LogisticSurrogate:
        """Something smooth to climb on."""
        return LogisticSurrogate.fit(data, 1.0, intercept=True)

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        """The sums."""
        return model


@dataclass(frozen=True)
class _Trial:
    """One run of an attack: what it was given, the bytes of its rows before the run, and the pair that it made."""

    ball: bool
    rows: int
    data: Dataset
    before: bytes
    pair: Pair


def check_attack(attack: Attack, *, seed: int = 0) -> list[Check]:
    """Check an attack against what mlaudit expects of it, on random data in a box and in a ball.

    Args:
        attack: The attack.
        seed: Seed of the data and of the attack.

    Returns:
        One check for each expectation.

    Example:
        >>> from mlaudit.attacks.far_corner import FarCorner
        >>> [str(result) for result in check_attack(FarCorner()) if not result.passed]
        []
    """
    run = partial(_run, attack, seed)
    trials = cache(run)  # shared by all checks

    def find_unrepeated(trial: _Trial) -> str:
        again = run(trial.ball, trial.rows).pair
        same = trial.pair.neighbour.digest == again.neighbour.digest
        return "" if same else "two calls with one seed made different pairs; take all randomness from rng"

    return [
        check("every optional method it has is known", lambda: describe_loose_methods(attack, Observes, ChangesRows)),
        check("it changes exactly the rows it was asked for", lambda: _find_anywhere(trials, _find_miscounted)),
        check("D is one side of the pair, untouched", lambda: _find_anywhere(trials, _find_other_base)),
        check("D′ lies in the domain, with legal labels", lambda: _find_anywhere(trials, _find_illegal)),
        check("the same seed makes the same pair", lambda: _find_anywhere(trials, find_unrepeated)),
    ]


def _find_anywhere(trials: Callable[[bool, int], _Trial], find: Callable[[_Trial], str]) -> str:
    """The first fault in a box or in a ball, with 1, 2 or 4 rows."""
    faults = (find(trials(ball, rows)) for ball in (False, True) for rows in (1, 2, 4))
    return next(filter(None, faults), "")


def random_data(rng: np.random.Generator) -> Dataset:
    """A small labelled table."""
    n, d = int(rng.integers(20, 60)), int(rng.integers(1, 6))
    y = np.arange(n) % 2
    return Dataset(rng.normal(size=(n, d)) + y[:, None], rng.permutation(y))


def _run(attack: Attack, seed: int, ball: bool, rows: int) -> _Trial:
    learner = PlainLearner(ball)
    data = random_data(default_rng(seed))
    data = data.within(learner.domain(data))
    before = data.X.tobytes()
    return _Trial(ball, rows, data, before, attack(learner, data, rows, default_rng(seed)))


def _find_miscounted(trial: _Trial) -> str:
    rows, changed = trial.rows, trial.pair.rows
    return (
        "" if changed == rows else f"asked for {rows} rows, {changed} changed; change `rows` rows, no more, no fewer"
    )


def _find_other_base(trial: _Trial) -> str:
    data, pair = trial.data, trial.pair
    kept = data.digest in (pair.base.digest, pair.neighbour.digest) and data.X.tobytes() == trial.before
    return "" if kept else "D itself was changed, or is on neither side; return Pair(data, …), or Pair(…, data)"


def _find_illegal(trial: _Trial) -> str:
    for side in (trial.pair.base, trial.pair.neighbour):
        side.within(trial.data.domain)  # raises with what lies outside
    return ""
