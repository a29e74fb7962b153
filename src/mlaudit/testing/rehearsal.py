"""Draws of a mechanism whose ε is known, for rehearsing a procedure without training anything."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, default_rng

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws

Law = Callable[[IntArray, Generator], FloatArray]  # one output for each label

_COINS, _OUTPUTS, _PILOT = 0, 1, 2


@dataclass
class RehearsedDraw:
    """Fresh draws by a law, a budget's worth; see `mlaudit.protocols.Draw`.

    Args:
        law: The outputs of D (label 1) and D′ (label 0).
        remaining: The budget.
        seed: Seed of coins and outputs.
        pilot: Draws that may be learned from and never count.

    Example:
        >>> draw = RehearsedDraw(reveal, 100)
        >>> draw(np.array([1, 0, 1])).z.ravel().tolist(), draw.remaining
        ([1.0, 0.0, 1.0], 97)
    """

    law: Law
    remaining: int
    seed: int = 0
    pilot: Draws | None = None
    labels: list[int] = field(default_factory=list)  # of every draw so far

    def coins(self, n: int) -> IntArray:
        """Fair coin flips for the labels of the next n draws."""
        return default_rng([self.seed, _COINS, len(self.labels)]).integers(0, 2, n)

    def __call__(self, labels: IntArray) -> Draws:
        """One fresh output for each label."""
        if len(labels) > self.remaining:
            raise InvalidInput(f"{self.remaining} trainings are left of the budget, got {len(labels)} to draw")
        z = self.law(labels, default_rng([self.seed, _OUTPUTS, len(self.labels)]))
        index = len(self.labels) + (0 if self.pilot is None else len(self.pilot)) + np.arange(len(labels))
        self.labels += labels.tolist()
        self.remaining -= len(labels)
        return Draws(labels, z[:, None], index=index)


def reveal(labels: IntArray, _: Generator) -> FloatArray:
    """The label itself: ε is infinite."""
    return labels.astype(float)


def mislead(labels: IntArray, _: Generator) -> FloatArray:
    """The other label: what was learned from `reveal` guesses everything wrong."""
    return np.asarray(1.0 - labels, dtype=float)


def hide(labels: IntArray, rng: Generator) -> FloatArray:
    """Noise alone: ε is 0."""
    return rng.normal(size=len(labels))


def add_laplace(epsilon: float) -> Law:
    """The label and Laplace noise: exactly ε."""
    return lambda labels, rng: labels + rng.laplace(scale=1 / epsilon, size=len(labels))


def add_gaussian(mu: float) -> Law:
    """The label and Gaussian noise: exactly μ-Gaussian DP."""
    return lambda labels, rng: mu * labels + rng.normal(size=len(labels))


def make_pilot(law: Law, n: int, seed: int = 0) -> Draws:
    """Draws that chose the pair."""
    labels = np.arange(n) % 2
    return Draws(labels, law(labels, default_rng([seed, _PILOT]))[:, None], index=np.arange(n))
