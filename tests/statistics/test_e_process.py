"""Bets: what they can win at most, on average, under a claim that holds; and that looking often costs nothing."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit import Claim
from mlaudit.errors import InvalidInput
from mlaudit.statistics.e_process import BettingMixture, log_wealth, pool_log_wealth
from mlaudit.statistics.group_privacy import group_delta
from mlaudit.types.finding import Bets


@pytest.mark.slow
@given(
    claimed=st.floats(0.05, 4.0),
    epsilon=st.floats(0.0, 4.0),
    delta=st.sampled_from([0.0, 1e-5, 0.01, 0.3]),
    steps=st.integers(1, 4),
    sureness=st.lists(st.floats(0.0, 40.0), min_size=1, max_size=4),
    lean=st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4),
)
def test_no_stake_wins_on_average_under_the_claim_it_is_held_against(
    claimed: float, epsilon: float, delta: float, steps: int, sureness: list[float], lean: list[float]
) -> None:
    """One training with several outputs, each scored; D and D′ as far apart as (ε, δ) lets them be."""
    outputs = len(sureness)
    weights = np.array(lean[:outputs]) + 0.1
    weights /= weights.sum()
    total, leak = float(np.exp(steps * epsilon)), float(group_delta(epsilon, delta, steps))
    # Guessing D on each output, right with P(D) = total · P(D′) + share of δ: the most the claim allows.
    wrong = weights * max(0.0, 1.0 - leak) / (1.0 + total)
    right = total * wrong
    given_away = min(leak, 1.0 - right.sum() - wrong.sum())
    mixture = BettingMixture(claimed, delta, steps)
    sure = np.array(sureness)
    gain = np.exp(mixture.log_growth(sure, np.ones(outputs, dtype=bool), epsilon))
    loss = np.exp(mixture.log_growth(sure, np.zeros(outputs, dtype=bool), epsilon))
    none = np.exp(mixture.log_growth(np.zeros(1), np.zeros(1, dtype=bool), epsilon))[:, 0]
    for free in range(outputs):  # δ may give away the label of whichever output it likes
        extra = np.zeros(outputs)
        extra[free] = max(given_away, 0.0)
        rest = 1.0 - right.sum() - wrong.sum() - extra.sum()
        assert np.all(gain @ (right + extra) + loss @ wrong + none * rest <= 1.0 + 1e-9)


@pytest.mark.slow
def test_the_average_wealth_over_every_course_of_events_is_one_at_the_claim() -> None:
    """Exactly, over all 2^10 sequences of right and wrong guesses of a rule that is as good as ε = 1 allows."""
    q, n = float(np.exp(1) / (1 + np.exp(1))), 10
    sure = np.linspace(0.2, 3.0, n)
    mean = 0.0
    for course in itertools.product([True, False], repeat=n):
        right = np.array(course)
        mean += (
            q ** right.sum()
            * (1 - q) ** (n - right.sum())
            * np.exp(BettingMixture(1.0).log_wealth(sure, right, 1.0)[-1])
        )
    assert mean == pytest.approx(1.0, abs=1e-9)


@given(
    claimed=st.floats(0.05, 4.0),
    steps=st.integers(1, 4),
    guesses=st.lists(st.tuples(st.floats(0.0, 10.0), st.booleans()), min_size=1, max_size=60),
)
@pytest.mark.slow
def test_wealth_falls_as_the_epsilon_rises(claimed: float, steps: int, guesses: list[tuple[float, bool]]) -> None:
    sure, right = np.array([s for s, _ in guesses]), np.array([r for _, r in guesses])
    mixture = BettingMixture(claimed, steps=steps)
    paths = [mixture.log_wealth(sure, right, epsilon) for epsilon in np.linspace(0, 5, 11)]
    assert all(np.all(low >= high - 1e-12) for low, high in itertools.pairwise(paths))


def test_the_bound_is_where_the_wealth_was_just_enough() -> None:
    right = 3 * np.arange(400) % 25 >= 3  # 88 %, and no chance in it
    mixture = BettingMixture(1.0)
    shown = mixture.lower_bound(np.full(400, 2.0), right, 0.05)
    assert 1.0 < shown < np.log(0.88 / 0.12)
    assert mixture.log_wealth(np.full(400, 2.0), right, shown).max() >= np.log(20) - 1e-9
    assert mixture.log_wealth(np.full(400, 2.0), right, shown + 1e-5).max() < np.log(20)
    assert mixture.ceiling(400, 0.05) > shown


def test_no_bets_win_nothing() -> None:
    none = Bets(np.zeros(0), np.zeros(0, dtype=bool), learned=8)
    assert log_wealth(none, Claim(1.0), 1).max(initial=0.0) == 0.0
    assert none.spent == 8
    assert pool_log_wealth(np.zeros((17, 3))).tolist() == pytest.approx([0.0, 0.0, 0.0])


@pytest.mark.parametrize("sureness", [[-1.0], [1.0, 2.0], [float("nan")]])
def test_bets_that_cannot_be(sureness: list[float]) -> None:
    with pytest.raises(InvalidInput, match="confidence of at least 0"):
        Bets(np.array(sureness), np.array([True]))
