"""The best clue of a path, against one that is found by trying everything."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlaudit.distinguish.clues import Clue, best_clues, cautious_log_ratio


def by_trying(base: list[float], neighbour: list[float]) -> float:
    strengths = []
    for value in {*base, *neighbour}:
        for compare in (operator.eq, operator.le, operator.gt):
            seen = [sum(compare(v, value) for v in side) for side in (base, neighbour)]
            strengths.append(float(cautious_log_ratio(*seen)))
    return max(strengths)


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_no_value_and_no_threshold_is_better(seed: int) -> None:
    base, neighbour = (np.random.default_rng(seed).integers(0, 5, (2, 12)) / 2).tolist()
    clue = best_clues({"x": (base, neighbour)})[0]
    assert clue.strength >= by_trying(base, neighbour) - 1e-12
    assert clue.seen == tuple(sum(clue.holds(v) for v in side) for side in (base, neighbour))


def test_a_text_on_one_side_only_is_total() -> None:
    clue = best_clues({"raised": (["(absent)"] * 9, ["ValueError"] * 9)})[0]
    assert clue.total
    assert clue.score("(absent)") > 0 > clue.score("ValueError")


def test_numbers_beside_texts_are_not_that_text() -> None:
    clue = best_clues({"x": ([1.0, 2.0, "nan"], ["nan", "nan", "nan"])})[0]
    assert clue.text == "nan"
    assert clue.seen == (1, 3)
    assert not clue.holds(1.0)


def test_equal_sides_give_no_clue() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=40).tolist()
    assert best_clues({"x": (values, values)})[0].strength < 0


@pytest.mark.parametrize(("value", "inside"), [(0.9, True), (1.1, False), ("nan", False)])
def test_thresholds_hold_for_what_was_never_seen(value: float | str, inside: bool) -> None:
    clue = Clue("x", -np.inf, 1.0, None, (9, 0), (10, 10))
    assert clue.holds(value) is inside
    assert (clue.score(value) > 0) is inside
