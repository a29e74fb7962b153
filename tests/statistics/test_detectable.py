"""The smallest detectable violation: an audit at that ε refutes the claim with probability 90 % or more."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit, ndtr

from mlaudit.distinguish.projection import FRACTIONS
from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.statistics import gaussian_dp, nested_scan, one_run
from mlaudit.statistics.detectable import (
    detectable_by_accuracy,
    detectable_by_arms,
    detectable_by_bets,
    detectable_by_scan,
    detectable_in_one_run,
)
from mlaudit.statistics.e_process import BettingMixture
from mlaudit.types.claim import Claim

ALPHA = 0.05
AUDITS = 400
# Fails for a correct program with probability < 1e-5: with a power of 0.9, fewer than 0.82 of 400 audits are refuted
# with 1e-6 at most (binomial), in each of nine tests.
ENOUGH = 0.82


def refuted(share: float) -> bool:
    return share >= ENOUGH


@pytest.mark.slow
@pytest.mark.parametrize(("claimed", "n", "steps"), [(1.0, 900, 1), (0.2, 2000, 4), (4.0, 1500, 1)])
def test_the_nested_scan_refutes_it(claimed: float, n: int, steps: int) -> None:
    sizes = np.ceil(n * np.array(FRACTIONS)).astype(int)
    epsilon = detectable_by_scan(sizes, Claim(claimed), ALPHA, steps=steps)
    assert claimed < epsilon < np.inf
    rng, found = default_rng(1), 0
    for _ in range(AUDITS):
        right = np.cumsum(rng.binomial(np.diff(sizes, prepend=0), expit(steps * epsilon)))
        found += nested_scan.pvalue(right, sizes, claimed, steps=steps) <= ALPHA
    assert refuted(found / AUDITS)


@pytest.mark.slow
def test_with_delta_it_is_refuted_too() -> None:
    sizes, claim = np.array([200, 1800]), Claim(1.0, 1e-4)
    epsilon = detectable_by_scan(sizes, claim, ALPHA)
    assert 1.0 < epsilon < 1.05 * detectable_by_scan(sizes, Claim(1.0), ALPHA)
    rng, found = default_rng(2), 0
    for _ in range(AUDITS):
        right = np.cumsum(rng.binomial(np.diff(sizes, prepend=0), expit(epsilon)))
        found += nested_scan.pvalue(right, sizes, 1.0, delta=claim.delta) <= ALPHA
    assert refuted(found / AUDITS)


@pytest.mark.slow
@pytest.mark.parametrize(("claimed", "n"), [(1.0, 400), (0.5, 1500)])
def test_bets_refute_it(claimed: float, n: int) -> None:
    epsilon = detectable_by_bets(n, Claim(claimed), ALPHA)
    rng, mixture, found = default_rng(3), BettingMixture(claimed), 0
    for _ in range(AUDITS):
        right = rng.random(n) < expit(epsilon)
        found += mixture.log_wealth(np.full(n, epsilon), right, claimed).max() >= -np.log(ALPHA)
    assert refuted(found / AUDITS)


def test_counts_of_a_set_refute_it() -> None:
    epsilon = detectable_by_arms(MoverCP(), 500, 500, Claim(1.0), ALPHA)
    rng = default_rng(4)
    hits, false_hits = rng.binomial(500, expit(epsilon), AUDITS), rng.binomial(500, expit(-epsilon), AUDITS)
    assert refuted(float(np.mean(MoverCP().log_ratio(hits, false_hits, 500, 500, ALPHA, 0.0) > 1.0)))


def test_canaries_of_one_training_refute_it() -> None:
    epsilon = detectable_in_one_run(200, 1000, Claim(2.0), ALPHA)
    right = default_rng(5).binomial(200, expit(epsilon), AUDITS)
    assert refuted(float(np.mean([one_run.pvalue(int(v), 200, 1000, 2.0) <= ALPHA for v in right])))


def test_accuracy_refutes_a_gaussian_claim() -> None:
    claim = Claim(1.0, 1e-5, gaussian=True)
    mu = float(gaussian_dp.mu_of(detectable_by_accuracy(1000, claim, ALPHA), claim.delta))
    right = default_rng(6).binomial(1000, ndtr(mu / 2), AUDITS)
    found = gaussian_dp.epsilon_of(gaussian_dp.mu_lower_bound(right, 1000, ALPHA), claim.delta)
    assert refuted(float(np.mean(found > 1.0)))


def test_nothing_is_detected_where_no_outcome_refutes() -> None:
    assert detectable_by_scan(np.array([5]), Claim(4.0), ALPHA) == np.inf
    assert detectable_by_bets(3, Claim(4.0), ALPHA) == np.inf
    assert detectable_by_accuracy(3, Claim(4.0, 1e-5), ALPHA) == np.inf
    assert detectable_in_one_run(5, 10, Claim(4.0), ALPHA) == np.inf
    assert detectable_by_arms(MoverCP(), 4, 4, Claim(4.0), ALPHA) == np.inf
