"""The bound from guesses about one training: golden values, brute force, and mechanisms at exactly their ε and δ."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit
from scipy.stats import binom

from mlaudit.errors import InvalidInput
from mlaudit.statistics.one_run import ceiling, lower_bound, pvalue

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "bounds.json").read_text())
RTOL: float = GOLDEN["_meta"]["default_rtol"]


@pytest.mark.parametrize("entry", GOLDEN["one_run_pvalue"], ids=str)
def test_pvalue_golden(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    assert pvalue(i["v"], i["r"], i["m"], i["eps"], delta=i["delta"]) == pytest.approx(entry["expected"], rel=RTOL)


@pytest.mark.parametrize("entry", GOLDEN["one_run_eps_lower"], ids=str)
def test_lower_golden(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    assert lower_bound(i["v"], i["r"], i["m"], i["p"], delta=i["delta"]) == pytest.approx(entry["expected"], rel=RTOL)


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
def test_pvalue_by_its_definition(epsilon: float, delta: float) -> None:
    m, r, q = 30, 12, float(expit(epsilon))
    mass = [float(binom.pmf(w, r, q)) for w in range(r + 1)]
    for v in range(r + 1):
        between = [sum(mass[w] for w in range(v - i, v)) / i for i in range(1, v + 1)]
        expected = min(1.0, sum(mass[v:]) + 2 * m * delta * max(between, default=0.0))
        assert pvalue(v, r, m, epsilon, delta=delta) == pytest.approx(expected, rel=1e-9)


def test_the_worst_mechanism_is_within_the_bound() -> None:
    """Each canary tells itself with probability δ, else by randomised response: how many are right, exactly."""
    m, epsilon, delta = 60, 1.0, 0.002
    right = delta + (1 - delta) * float(expit(epsilon))
    for v in range(30, m + 1):
        assert float(binom.sf(v - 1, m, right)) <= pvalue(v, m, m, epsilon, delta=delta) * (1 + 1e-9)


def test_all_given_away_at_once_is_within_the_bound() -> None:
    """With probability δ everything is published: δ-DP for all canaries together, the case that the δ term is for."""
    m, delta = 40, 0.003
    for v in range(m + 1):
        chance = delta + (1 - delta) * float(binom.sf(v - 1, m, 0.5))
        assert chance <= pvalue(v, m, m, 0.0, delta=delta) * (1 + 1e-9)
    without = float(binom.sf(m - 1, m, 0.5))
    assert without < delta, "the term of δ is what covers this"


def test_bounds_are_wrong_at_most_alpha_of_the_time() -> None:
    rng, alpha, m, r, epsilon = default_rng(1), 0.05, 200, 60, 1.0
    q = float(expit(epsilon))
    bounds = [lower_bound(v, r, m, alpha) for v in range(r + 1)]
    wrong = sum(bounds[v] > epsilon for v in rng.binomial(r, q, 20_000)) / 20_000
    exact = sum(float(binom.pmf(v, r, q)) for v in range(r + 1) if bounds[v] > epsilon)
    assert exact <= alpha
    # Fails for a correct program with probability < 1e-9: six deviations of a share of 20 000.
    assert wrong == pytest.approx(exact, abs=0.01)


def test_more_right_shows_more_and_nothing_shows_more_than_the_ceiling() -> None:
    bounds = [lower_bound(v, 50, 500, 0.05, delta=1e-5) for v in range(51)]
    assert all(more >= less - 1e-9 for less, more in pairwise(bounds))
    assert bounds[25] == 0.0
    assert bounds[-1] == pytest.approx(ceiling(50, 500, 0.05, delta=1e-5), rel=1e-9)
    assert bounds[-1] > 2


def test_steps_divide_what_is_shown_only_without_delta() -> None:
    assert lower_bound(90, 100, 100, 0.05, steps=2) == pytest.approx(lower_bound(90, 100, 100, 0.05) / 2, rel=1e-8)
    assert lower_bound(90, 100, 100, 0.05, delta=1e-4, steps=2) < lower_bound(90, 100, 100, 0.05, delta=1e-4) / 2


def test_the_slope_of_the_delta_term_does_no_harm() -> None:
    """Every ε below the bound is refuted by an ε of its own size or more."""
    found = lower_bound(97, 100, 100, 0.05, delta=2e-4)
    assert pvalue(97, 100, 100, found, delta=2e-4) <= 0.05 < pvalue(97, 100, 100, found + 1e-6, delta=2e-4)
    assert np.isfinite(found)


def test_counts_that_cannot_be() -> None:
    with pytest.raises(InvalidInput, match="need correct ≤ guesses ≤ canaries, got 5, 4 and 10"):
        pvalue(5, 4, 10, 1.0)
    with pytest.raises(InvalidInput, match="guesses must be a whole number of at least 1"):
        pvalue(0, 0, 10, 1.0)
