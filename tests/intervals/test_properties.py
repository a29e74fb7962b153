"""What must hold of every interval, whatever is counted."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mlaudit.intervals.clopper_pearson import ClopperPearson
from mlaudit.intervals.exact import Exact
from mlaudit.intervals.katz_log import KatzLog
from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.statistics.ceiling import ceiling
from mlaudit.statistics.group_privacy import epsilon_per_step

CLOSED = [ClopperPearson(), MoverCP()]
FAST = [KatzLog(), *CLOSED]
Closed = ClopperPearson | MoverCP
Fast = KatzLog | Closed

sizes = st.integers(2, 400)
deltas = st.sampled_from([0.0, 1e-5, 0.01, 0.1])
alphas = st.sampled_from([0.01, 0.025, 0.05, 0.1])


@pytest.mark.parametrize("interval", FAST, ids=str)
@given(trials=sizes, false_share=st.floats(0, 1), alpha=alphas, delta=deltas)
def test_more_hits_never_lower_the_bound(
    interval: Fast, trials: int, false_share: float, alpha: float, delta: float
) -> None:
    hits = np.arange(trials + 1)
    bounds = interval.log_ratio(hits, int(false_share * trials), trials, trials, alpha, delta)
    assert np.all(bounds[1:] >= bounds[:-1] - 1e-12)


@pytest.mark.parametrize("interval", CLOSED, ids=str)
@given(trials=sizes, share=st.floats(0, 1), alpha=alphas, delta=deltas)
def test_more_false_hits_never_raise_the_bound(
    interval: Closed, trials: int, share: float, alpha: float, delta: float
) -> None:
    false_hits = np.arange(trials + 1)
    bounds = interval.log_ratio(int(share * trials), false_hits, trials, trials, alpha, delta)
    assert np.all(bounds[1:] <= bounds[:-1] + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("interval", FAST, ids=str)
@given(
    trials=st.integers(10, 400),
    # Below, Katz is highest at two or more false hits.
    alpha=st.sampled_from([0.025, 0.05, 0.1]),
    delta=deltas,
    steps=st.integers(1, 4),
)
@settings(deadline=None)
def test_nothing_exceeds_the_ceiling(interval: Fast, trials: int, alpha: float, delta: float, steps: int) -> None:
    hits, false_hits = np.meshgrid(np.arange(trials + 1), np.arange(min(trials, 20) + 1))
    shown = epsilon_per_step(lambda d: interval.log_ratio(hits, false_hits, trials, trials, alpha, d), delta, steps)
    assert shown.max() <= ceiling(interval, trials, trials, alpha, delta, steps) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("interval", FAST, ids=str)
@given(trials=sizes, false_trials=sizes, share=st.floats(0, 1), false_share=st.floats(0, 1), delta=deltas)
def test_more_confidence_and_more_delta_show_less(
    interval: Fast, trials: int, false_trials: int, share: float, false_share: float, delta: float
) -> None:
    false_trials = int(np.clip(false_trials, -(-trials // 8), 8 * trials))
    hits, false_hits = int(share * trials), int(false_share * false_trials)
    bounds = [
        float(interval.log_ratio(hits, false_hits, trials, false_trials, alpha, delta))
        for alpha in (0.001, 0.01, 0.05, 0.2)
    ]
    assert all(more >= less - 1e-9 for less, more in pairwise(bounds))
    assert bounds[2] <= float(interval.log_ratio(hits, false_hits, trials, false_trials, 0.05)) + 1e-9


@pytest.mark.parametrize("interval", [*FAST, Exact()], ids=str)
def test_no_excess_over_delta_shows_nothing(interval: Fast | Exact) -> None:
    bounds = interval.log_ratio([0, 5, 50, 50], [0, 5, 1, 1], 50, 50, 0.05, np.array([0.0, 0.2, 1.0, np.inf]))
    assert np.all(bounds <= 0.0)


@settings(max_examples=3, deadline=None)
@given(st.integers(5, 18), st.floats(0, 1), st.sampled_from([0.01, 0.05]), st.sampled_from([0.0, 0.02]))
@pytest.mark.slow
def test_exact_is_monotone_and_below_its_ceiling(N: int, share: float, alpha: float, delta: float) -> None:
    # Without Berger-Boos: its interval moves with the false hits, and so, by a hair, may the bound.
    interval, counts, fixed = Exact(gamma_share=0.0), np.arange(N + 1), int(share * N)
    by_hits = np.maximum(interval.log_ratio(counts, fixed, N, N, alpha, delta), 0.0)
    by_false_hits = np.maximum(interval.log_ratio(fixed, counts, N, N, alpha, delta), 0.0)
    top = ceiling(interval, N, N, alpha, delta)
    assert np.all(np.diff(by_hits) >= -1e-6)
    assert np.all(np.diff(by_false_hits) <= 1e-6)
    assert max(by_hits.max(), by_false_hits.max()) <= top + 1e-6


@settings(max_examples=3, deadline=None)
@example(24, 0.375, 0.125)
@given(st.integers(20, 200), st.floats(0.3, 1), st.floats(0, 0.3))
@pytest.mark.slow
def test_exact_loses_with_alpha_and_berger_boos_costs_its_gamma(N: int, share: float, false_share: float) -> None:
    hits, false_hits = int(share * N), int(false_share * share * N)
    bounds = [float(Exact().log_ratio(hits, false_hits, N, N, alpha)) for alpha in (0.005, 0.02, 0.05)]
    assert all(more >= less - 1e-9 for less, more in pairwise(bounds))
    # γ = alpha/1000 is lost; restricting the nuisance can only gain. The p-value jumps with ε where the order of
    # outcomes changes, so that it may cross alpha twice nearby: the fewer trials, the further apart.
    whole = float(Exact(gamma_share=0.0).log_ratio(hits, false_hits, N, N, 0.05))
    assert bounds[-1] >= whole - 0.005 - 1 / N


@pytest.mark.slow
def test_exact_takes_arrays_and_scalars_alike() -> None:
    together = Exact().log_ratio(np.array([[30], [40]]), np.array([0, 3]), 40, 50, 0.05, 0.01)
    assert together.shape == (2, 2)
    assert together[1, 1] == pytest.approx(float(Exact().log_ratio(40, 3, 40, 50, 0.05, 0.01)), rel=1e-9)
    assert isinstance(Exact().search, MoverCP)


@pytest.mark.slow
def test_exact_through_steps_and_delta_stays_near_its_stand_in() -> None:
    shown = [
        float(epsilon_per_step(lambda d, i=interval: i.log_ratio(600, 50, 1000, 1000, 0.05, d), 0.001, 4))  # type: ignore[misc]
        for interval in (Exact(), MoverCP())
    ]
    assert shown[1] == pytest.approx(0.5581061639334737)
    assert shown[0] == pytest.approx(shown[1], abs=0.005)


def test_katz_beyond_its_z_is_not_monotone() -> None:
    # Its critical z = 2.367 at n₀ = 1 → 2 is ln 2 over the step in 1/√n₀; it holds for hits near all trials.
    def rise(alpha: float) -> float:
        one, two = KatzLog().log_ratio(10_000, [1, 2], 10_000, 10_000, alpha)
        return float(two - one)

    assert rise(alpha=0.0092) < 0.0 < rise(alpha=0.0088)


def test_mover_refuses_arms_it_was_never_verified_for() -> None:
    assert np.isfinite(MoverCP().log_ratio(80, 0, 80, 10, 0.05))
    with pytest.raises(ValueError, match="8:1"):
        MoverCP().log_ratio(81, 0, 81, 10, 0.05)
    assert Exact().log_ratio(81, 0, 81, 10, 0.05) > 0.0
