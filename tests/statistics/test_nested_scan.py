import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtrc, expit
from scipy.stats import binom

from mlaudit.statistics.nested_scan import ceiling, level, lower_bound, pvalue

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "bounds.json").read_text())
RTOL: float = GOLDEN["_meta"]["default_rtol"]
PREFIXES = np.array([18, 36, 54, 90, 126, 180, 252, 360, 540, 720, 990, 1350, 1800])


def expected(entry: dict[str, Any]) -> Any:
    # Relative only: golden p-values go down to 1e-42.
    return pytest.approx(entry["expected"], rel=entry.get("rtol", RTOL), abs=0.0)


def looks_of(entry: dict[str, Any]) -> str:
    return f"{entry['inputs'].get('eps')}-{len(entry['inputs']['r'])}-prefixes"


def single_look_tail(v: int, r: int, q: float) -> float:
    return 1.0 if v <= 0 else float(bdtrc(v - 1, r, q))


def enumerated_pvalue(correct: list[int], guesses: list[int], q: float) -> float:
    """The definition, over all 2ⁿ walks."""
    rarest = min(single_look_tail(c, r, q) for c, r in zip(correct, guesses, strict=True))
    total = 0.0
    for steps in itertools.product((0, 1), repeat=guesses[-1]):
        walk = np.cumsum((0, *steps))
        if min(single_look_tail(int(walk[r]), r, q) for r in guesses) <= rarest * (1 + 1e-12):
            total += q ** sum(steps) * (1 - q) ** (len(steps) - sum(steps))
    return total


@pytest.mark.parametrize("entry", GOLDEN["scan_level"], ids=looks_of)
def test_level_golden(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    assert level(i["r"], float(expit(i["eps"])), i["alpha_prime"]) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["scan_pvalue"], ids=looks_of)
def test_pvalue_golden(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    assert pvalue(i["C"], i["r"], i["eps"]) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["scan_lower"], ids=looks_of)
def test_lower_golden(entry: dict[str, Any]) -> None:
    """The reference is the last ε of the p-value α. Where p-values fall, the bound is the first one: all ε below it
    are refuted, and one between the two is not."""
    i = entry["inputs"]
    found, last = lower_bound(i["C"], i["r"], i["alpha"]), expected(entry)
    if found != last:
        between = np.linspace(found, entry["expected"], 50)
        assert max(pvalue(i["C"], i["r"], epsilon) for epsilon in between[1:-1]) > i["alpha"]
        assert max(pvalue(i["C"], i["r"], epsilon) for epsilon in np.linspace(0.0, found, 200)) <= i["alpha"]


@pytest.mark.parametrize("entry", GOLDEN["detection_limit"], ids=lambda entry: str(entry["inputs"]))
def test_ceiling_golden(entry: dict[str, Any]) -> None:
    shown = ceiling([2 * entry["inputs"]["N"]], entry["inputs"]["alpha"])
    assert shown == pytest.approx(entry["expected"]["guesses_r=2N"], rel=1e-7)


@pytest.mark.parametrize(
    ("correct", "guesses"),
    [([3, 5], [3, 8]), ([2, 4, 9], [2, 5, 12]), ([0, 1, 3], [1, 4, 9]), ([4, 7, 10], [4, 7, 10])],
)
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_pvalue_is_the_enumeration(correct: list[int], guesses: list[int], epsilon: float) -> None:
    by_definition = enumerated_pvalue(correct, guesses, float(expit(epsilon)))
    assert pvalue(correct, guesses, epsilon) == pytest.approx(by_definition, rel=1e-10)


@pytest.mark.slow
def test_level_is_the_simulated_one() -> None:
    rng, q, repetitions = np.random.default_rng(20260), float(expit(1.0)), 40_000
    walks = np.cumsum(rng.binomial(np.diff(PREFIXES, prepend=0), q, size=(repetitions, len(PREFIXES))), axis=1)
    rare = (walks > 0) & (bdtrc(np.maximum(walks - 1, 0), PREFIXES, q) <= 0.007)
    error = np.sqrt(0.0395 * 0.9605 / repetitions)
    # Fails for a correct program with probability < 1e-8: six standard errors of a share of 40 000.
    assert rare.any(axis=1).mean() == pytest.approx(level(PREFIXES, q, 0.007), abs=6 * error)


def test_repeated_and_empty_looks_change_nothing() -> None:
    plain = pvalue([9, 15], [10, 20], 0.3)
    assert pvalue([0, 0, 9, 9, 15], [0, 0, 10, 10, 20], 0.3) == pytest.approx(plain, rel=1e-12)
    assert pvalue([0], [0], 0.3) == 1.0
    assert lower_bound([0], [0], 0.05) == 0.0
    assert ceiling([0, 10], 0.05) == pytest.approx(1.051873, rel=1e-5)


@pytest.mark.parametrize(("correct", "guesses"), [([3], [2]), ([1, 2], [4]), ([1, 1], [5, 4]), ([-1], [4]), ([], [])])
def test_impossible_counts_are_refused(correct: list[int], guesses: list[int]) -> None:
    with pytest.raises(ValueError, match=r"correct counts|Prefixes|Correct"):
        pvalue(correct, guesses, 1.0)


def test_far_out_pvalues_stay_positive_and_bounds_finite() -> None:
    prefixes = 20 * PREFIXES
    assert 0.0 < pvalue(prefixes, prefixes, 0.0) < 1e-250
    assert pvalue(prefixes, prefixes, 60.0) == 1.0
    assert 9.0 < ceiling(prefixes, 0.05) < 10.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.4, 1.0), min_size=13, max_size=13), st.sampled_from([0.01, 0.05, 0.2]))
@pytest.mark.slow
def test_bound_is_the_edge_of_what_is_refuted(shares: list[float], alpha: float) -> None:
    correct = np.round(PREFIXES * np.array(shares)).astype(int)
    shown = lower_bound(correct, PREFIXES, alpha)
    assert shown <= ceiling(PREFIXES, alpha)
    if shown == 0.0:
        assert pvalue(correct, PREFIXES, 1e-6) > alpha
    else:
        assert pvalue(correct, PREFIXES, shown) <= alpha < pvalue(correct, PREFIXES, shown + 3e-7)


def test_steps_divide_the_bound() -> None:
    correct = np.round(0.8 * PREFIXES).astype(int)
    assert lower_bound(correct, PREFIXES, 0.05, steps=4) == pytest.approx(
        lower_bound(correct, PREFIXES, 0.05) / 4, abs=1e-7
    )


def enumerated_pvalue_with_leaks(correct: list[int], guesses: list[int], q: float, delta: float) -> float:
    """The definition, over all numbers of revealed labels and all walks behind them."""
    rarest, n, total = min(map(single_look_tail, correct, guesses, [q] * len(guesses))), guesses[-1], 0.0
    for revealed in range(n + 1):
        for steps in itertools.product((0, 1), repeat=n - revealed):
            counts = np.cumsum((0, *([1] * revealed), *steps))
            if min(single_look_tail(int(counts[r]), r, q) for r in guesses) <= rarest * (1 + 1e-12):
                walk = q ** sum(steps) * (1 - q) ** (len(steps) - sum(steps))
                total += float(binom.pmf(revealed, n, delta)) * walk
    return total


@pytest.mark.parametrize(
    ("correct", "guesses"),
    [([3, 5], [3, 8]), ([2, 4, 9], [2, 5, 12]), ([0, 1, 3], [1, 4, 9]), ([4, 7, 10], [4, 7, 10]), ([0, 6], [0, 9])],
)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.3), (0.5, 0.01), (2.0, 0.1)])
def test_pvalue_with_delta_is_the_enumeration(
    correct: list[int], guesses: list[int], epsilon: float, delta: float
) -> None:
    by_definition = enumerated_pvalue_with_leaks(correct, guesses, float(expit(epsilon)), delta)
    assert pvalue(correct, guesses, epsilon, delta=delta) == pytest.approx(by_definition, rel=1e-9, abs=3e-12)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("steps", [1, 3])
def test_delta_only_lowers(delta: float, steps: int) -> None:
    correct = np.round(0.8 * PREFIXES).astype(int)
    plain = lower_bound(correct, PREFIXES, 0.05, steps=steps)
    shown = lower_bound(correct, PREFIXES, 0.05, delta=delta, steps=steps)
    # Equal where the p-value jumps over α, as it does where a critical count changes.
    assert 0.0 < shown < plain if delta == 1e-2 else 0.0 < shown <= plain
    assert ceiling(PREFIXES, 0.05, delta=delta, steps=steps) < ceiling(PREFIXES, 0.05, steps=steps)


def test_tiny_delta_costs_almost_nothing() -> None:
    correct = np.round(0.8 * PREFIXES).astype(int)
    shown = lower_bound(correct, PREFIXES, 0.05, delta=1e-5)
    assert shown == pytest.approx(lower_bound(correct, PREFIXES, 0.05), abs=0.003)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-5, 1e-3])
@pytest.mark.parametrize("steps", [1, 4])
def test_the_ceiling_is_the_bound_of_right_guesses_alone(delta: float, steps: int) -> None:
    found = lower_bound(PREFIXES, PREFIXES, 0.05, delta=delta, steps=steps)
    assert ceiling(PREFIXES, 0.05, delta=delta, steps=steps) == pytest.approx(found, abs=1e-6)


def test_nothing_can_be_shown_if_delta_explains_every_right_guess() -> None:
    assert ceiling([100], 0.05, delta=0.99) == 0.0
    assert lower_bound([100], [100], 0.05, delta=0.99) == 0.0


@pytest.mark.parametrize(("draws", "delta"), [(60, 0.01), (200, 1e-3), (600, 1e-3)])
@pytest.mark.slow
def test_every_epsilon_below_a_bound_is_refuted_with_delta(draws: int, delta: float) -> None:
    rng, prefixes = np.random.default_rng(draws), np.unique(draws * PREFIXES // 1800)[1:]
    for steps in (1, 3):
        right = rng.random(draws) < np.linspace(0.99, 0.7, draws)
        correct = np.cumsum(right)[prefixes - 1]
        found = lower_bound(correct, prefixes, 0.05, delta=delta, steps=steps)
        below = np.linspace(0.0, found, 80)
        assert max(pvalue(correct, prefixes, e, delta=delta, steps=steps) for e in below) <= 0.05


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.01), (1.0, 0.01), (2.0, 0.002)])
@pytest.mark.slow
def test_false_alarms_of_the_worst_leaking_mechanism(epsilon: float, delta: float) -> None:
    """The error is at most α, and not far below it: nothing is given away."""
    rng, repetitions, alpha = np.random.default_rng(7), 500, 0.05
    prefixes = np.array([10, 30, 100, 300])
    rejected = 0
    for _ in range(repetitions):
        leaked = rng.random(300) < delta
        # The auditor sees which labels were given away, and ranks those draws first.
        right = np.sort(leaked)[::-1] | (rng.random(300) < expit(epsilon))
        correct = np.cumsum(right)[prefixes - 1]
        rejected += pvalue(correct, prefixes, epsilon, delta=delta) <= alpha
    # Fails for a correct program with probability < 3e-6: the tail of a binomial, three times.
    assert rejected <= binom.isf(1e-6, repetitions, alpha)
    # Fails for a correct program with probability < 3e-6: the other tail; the exact error is at least 0.03 here.
    assert rejected >= binom.ppf(1e-6, repetitions, 0.03)
