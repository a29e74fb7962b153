"""The contract of an attack: D with exactly so many rows changed, inside the domain."""

from collections.abc import Callable
from dataclasses import dataclass

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


_Find = Callable[[Attack, PlainLearner, Dataset, int, int], str]


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
    return [
        check("every optional method it has is known", lambda: describe_loose_methods(attack, Observes, ChangesRows)),
        check("it changes exactly the rows it was asked for", lambda: _find_anywhere(attack, _find_miscounted, seed)),
        check("D is one side of the pair, untouched", lambda: _find_anywhere(attack, _find_other_base, seed)),
        check("D′ lies in the domain, with legal labels", lambda: _find_anywhere(attack, _find_illegal, seed)),
        check("the same seed makes the same pair", lambda: _find_anywhere(attack, _find_unrepeated, seed)),
    ]


def _find_anywhere(attack: Attack, find: _Find, seed: int) -> str:
    """The first fault in a box or in a ball, with 1, 2 or 4 rows."""
    for ball in (False, True):
        learner = PlainLearner(ball)
        data = random_data(default_rng(seed))
        data = data.within(learner.domain(data))
        for rows in (1, 2, 4):
            wrong = find(attack, learner, data, rows, seed)
            if wrong:
                return wrong
    return ""


def random_data(rng: np.random.Generator) -> Dataset:
    """A small labelled table."""
    n, d = int(rng.integers(20, 60)), int(rng.integers(1, 6))
    y = np.arange(n) % 2
    return Dataset(rng.normal(size=(n, d)) + y[:, None], rng.permutation(y))


def _run(attack: Attack, learner: PlainLearner, data: Dataset, rows: int, seed: int) -> Pair:
    return attack(learner, data, rows, default_rng(seed))


def _find_miscounted(attack: Attack, learner: PlainLearner, data: Dataset, rows: int, seed: int) -> str:
    changed = _run(attack, learner, data, rows, seed).rows
    return (
        "" if changed == rows else f"asked for {rows} rows, {changed} changed; change `rows` rows, no more, no fewer"
    )


def _find_other_base(attack: Attack, learner: PlainLearner, data: Dataset, rows: int, seed: int) -> str:
    before = data.X.tobytes()
    pair = _run(attack, learner, data, rows, seed)
    kept = data.digest in (pair.base.digest, pair.neighbour.digest) and data.X.tobytes() == before
    return "" if kept else "D itself was changed, or is on neither side; return Pair(data, …), or Pair(…, data)"


def _find_illegal(attack: Attack, learner: PlainLearner, data: Dataset, rows: int, seed: int) -> str:
    pair = _run(attack, learner, data, rows, seed)
    for side in (pair.base, pair.neighbour):
        side.within(data.domain)  # raises with what lies outside
    return ""


def _find_unrepeated(attack: Attack, learner: PlainLearner, data: Dataset, rows: int, seed: int) -> str:
    first, second = (_run(attack, learner, data, rows, seed) for _ in range(2))
    same = first.neighbour.digest == second.neighbour.digest
    return "" if same else "two calls with one seed made different pairs; take all randomness from rng"
