"""Holm's correction keeps its promise, and each p-value is that of the claim."""

from typing import Any

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import binom

from mlaudit.intervals.exact import Exact
from mlaudit.report.cells import CellView, cell_of
from mlaudit.report.multiplicity import adjust_p_values, family, p_value
from mlaudit.statistics import nested_scan
from mlaudit.statistics.gaussian_dp import mu_of
from mlaudit.types.row import Row

LOOKS = [20, 60, 200, 400]


def cell(evidence: dict[str, Any], verdict: str = "violated", alpha: float = 0.05, **values: Any) -> CellView:
    claim = {"epsilon": 1.0, "delta": values.pop("delta", 0.0), "gaussian": values.pop("gaussian", False)}
    said = {"epsilon_lower": 1.5, "verdict": verdict, "alpha": alpha, "evidence": evidence, "claim": claim, **values}
    return cell_of(Row("s", "audit", {}, said, 0.0))


def test_adjusted_values_are_holms() -> None:
    dice = np.random.default_rng(3)
    for _ in range(20):
        plain = dict(enumerate(dice.uniform(size=6) ** 3))
        order = sorted(plain, key=lambda i: plain[i])
        by_hand = {i: max(min(1.0, (6 - r) * plain[order[r]]) for r in range(order.index(i) + 1)) for i in plain}
        assert adjust_p_values(plain, 6) == pytest.approx(by_hand)


@pytest.mark.parametrize("delta", [0.0, 1e-4])
def test_the_p_value_of_guesses_is_the_scans(delta: float) -> None:
    correct = [20, 52, 160, 300]
    counts = {"correct": correct, "guesses": LOOKS}
    expected = nested_scan.pvalue(correct, LOOKS, 1.0, delta=delta)
    assert p_value(cell(counts, delta=delta), 1e-9) == pytest.approx(expected, rel=1e-9, abs=0.0)


def test_a_tiny_p_value_is_bounded_from_above() -> None:
    found = p_value(cell({"correct": LOOKS, "guesses": LOOKS}), 1e-9)
    assert found is not None
    assert nested_scan.pvalue(LOOKS, LOOKS, 1.0) <= found < 1e-9


@pytest.mark.slow
def test_the_p_value_of_arms_goes_with_the_exact_bound() -> None:
    """p ≤ α where the bound at α exceeds the claim, and p > α where it does not."""
    for hits in (370, 400, 430, 460):
        evidence = {"hits": hits, "false_hits": 120, "trials": 500, "false_trials": 500}
        found = p_value(cell(evidence), 1e-9)
        shown = float(Exact().log_ratio(hits, 120, 500, 500, alpha=0.05))
        assert found is not None
        assert (found <= 0.05) == (shown > 1.0), hits


def test_the_p_value_of_a_gaussian_claim_is_binomial() -> None:
    counts = {"correct": [300], "guesses": [400]}
    said: dict[str, Any] = {"delta": 1e-5, "assuming": "Gaussian DP"}
    expected = binom.sf(299, 400, ndtr(float(mu_of(1.0, 1e-5)) / 2))
    assert p_value(cell(counts, gaussian=True, **said), 1e-9) == pytest.approx(expected, rel=1e-9)
    assert p_value(cell(counts, gaussian=False, **said), 1e-9) is None


@pytest.mark.parametrize("evidence", [{}, {"correct": "x", "guesses": [1]}, {"e_value": 40.0}])
def test_counts_of_another_kind_have_no_p_value(evidence: dict[str, Any]) -> None:
    tests = family([cell(evidence)])
    assert (tests.tests, tests.left, tests.unknown) == (1, 0, 1)


def test_all_audits_count_and_errors_do_not() -> None:
    sure = {"correct": [20, 60, 190, 330], "guesses": LOOKS}
    plain = p_value(cell(sure), 1e-9)
    failed = cell_of(Row("s", "audit", {}, {"error": "no"}, 0.0))
    quiet = cell({}, verdict="not_refuted")
    tests = family([failed, quiet, cell(sure), *[quiet] * 7, cell(sure, verdict="not_repeated")])
    assert tests.tests == 10
    assert tests.plain == {2: pytest.approx(plain, rel=1e-9, abs=0.0)}
    assert tests.adjusted[2] == pytest.approx(10 * (plain or 0))


def test_the_level_is_the_smallest_alpha() -> None:
    assert family([cell({}, alpha=0.05), cell({}, alpha=0.01)]).alpha == 0.01


@pytest.mark.slow
@pytest.mark.statistical
def test_the_whole_table_seldom_has_a_false_alarm() -> None:
    """300 tables of 8 honest cells at the edge of their claim: an alarm in at most 5 % of them, but for chance."""
    dice, alpha, steps = np.random.default_rng(8), 0.05, np.diff(LOOKS, prepend=0)
    plain = corrected = 0
    for _ in range(300):
        counts = np.cumsum(dice.binomial(steps, expit(1.0), size=(8, len(steps))), axis=1)
        ps = [nested_scan.pvalue(row, LOOKS, 1.0) for row in counts]
        cells = [
            cell({"correct": row.tolist(), "guesses": LOOKS}, "violated" if p <= alpha else "not_refuted")
            for row, p in zip(counts, ps, strict=True)
        ]
        plain += min(ps) <= alpha
        corrected += family(cells).left > 0
    # Fails for a correct program with probability < 2e-6: the tail of a binomial; 84 ± 8 are expected of `plain`.
    assert corrected <= binom.isf(1e-6, 300, alpha) < plain, "without a correction there are many more"
