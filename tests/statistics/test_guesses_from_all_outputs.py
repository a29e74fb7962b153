"""A guess may depend on all outputs and on earlier labels: correct guesses stay dominated (decision 053)."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy.stats import binom

from mlaudit.types.arrays import FloatArray, IntArray

N = 3
Q = 0.7
# Probabilities of each output given label 0 and label 1.
RANDOMISED_RESPONSE = np.array([[Q, 1 - Q], [1 - Q, Q]])
SURE_OR_SILENT = np.array([[0.4, 0.6, 0.0], [0.0, 0.6, 0.4]])
THREE_ODDS = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])


class RandomRule:
    """Guesses that depend on all outputs and on earlier labels, in an order that depends on all outputs."""

    def __init__(self, seed: int) -> None:
        rng = default_rng(seed)
        self._guesses = rng.integers(2, size=(*[3] * N, N, *[2] * N))
        self._keys = rng.random((*[3] * N, N))

    def __call__(self, outputs: tuple[int, ...], labels: tuple[int, ...]) -> tuple[IntArray, IntArray]:
        earlier = [(*labels[:i], *[0] * (N - i)) for i in range(N)]
        guesses = [self._guesses[(*outputs, i, *earlier[i])] for i in range(N)]
        return np.array(guesses), self._keys[outputs].argsort()


def guess_with_the_best_rule(law: FloatArray, outputs: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """The likelier label of each output, and the surest first."""
    odds = law[:, list(outputs)]
    return odds.argmax(axis=0), np.argsort(-np.abs(odds[1] - odds[0]), kind="stable")


def distribute_correct_guesses(law: FloatArray, seed: int | None, prefix: int) -> FloatArray:
    """The exact distribution of the correct guesses among the first of the order; None is the best rule."""
    found, random = np.zeros(prefix + 1), None if seed is None else RandomRule(seed)
    for outputs, labels in product(product(range(law.shape[1]), repeat=N), product((0, 1), repeat=N)):
        guesses, order = guess_with_the_best_rule(law, outputs) if random is None else random(outputs, labels)
        correct = int((guesses == np.array(labels))[order[:prefix]].sum())
        found[correct] += np.prod(law[list(labels), list(outputs)]) / 2**N
    return found


def assert_dominated(found: FloatArray, accuracy: float) -> None:
    n = len(found) - 1
    for least in range(n + 1):
        assert found[least:].sum() <= binom.sf(least - 1, n, accuracy) + 1e-12


@given(seed=st.integers(0, 10**6), prefix=st.integers(1, N))
def test_under_pure_dp_every_prefix_is_dominated_by_the_claim(seed: int, prefix: int) -> None:
    assert_dominated(distribute_correct_guesses(RANDOMISED_RESPONSE, seed, prefix), Q)


@pytest.mark.parametrize("law", [SURE_OR_SILENT, THREE_ODDS], ids=["sure or silent", "three odds"])
@given(seed=st.integers(0, 10**6))
def test_all_guesses_together_are_dominated_by_the_best_accuracy(law: FloatArray, seed: int) -> None:
    """As gdp_accuracy needs it: there the accuracy is bounded on average only."""
    best = float(law.max(axis=0).sum() / 2)
    assert_dominated(distribute_correct_guesses(law, seed, N), best)


def test_the_best_rule_reaches_the_bounds() -> None:
    """So that the tests above could fail."""
    pure = distribute_correct_guesses(RANDOMISED_RESPONSE, None, N)
    average = distribute_correct_guesses(THREE_ODDS, None, N)
    assert pure == pytest.approx(binom.pmf(range(N + 1), N, Q))
    assert average == pytest.approx(binom.pmf(range(N + 1), N, THREE_ODDS.max(axis=0).sum() / 2))


def test_a_prefix_is_not_dominated_if_the_accuracy_is_bounded_on_average_only() -> None:
    """Which is why gdp_accuracy counts all guesses, and the scan needs a bound on every output."""
    first = distribute_correct_guesses(SURE_OR_SILENT, None, 1)
    assert first[1] > SURE_OR_SILENT.max(axis=0).sum() / 2
