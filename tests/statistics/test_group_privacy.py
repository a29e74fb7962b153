import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit.statistics.group_privacy import epsilon_per_step, group_delta
from mlaudit.types.arrays import FloatArray

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "bounds.json").read_text())
RTOL: float = GOLDEN["_meta"]["default_rtol"]


@pytest.mark.parametrize("entry", GOLDEN["group_delta"], ids=str)
def test_group_delta_golden(entry: dict[str, Any]) -> None:
    given_ = entry["inputs"]
    shown = group_delta(given_["eps"], given_["delta"], given_["k"])
    assert float(shown) == pytest.approx(entry["expected"], rel=entry.get("rtol", RTOL))


@pytest.mark.parametrize("entry", GOLDEN["eps_from_probs_group"], ids=str)
def test_per_step_golden(entry: dict[str, Any]) -> None:
    given_ = entry["inputs"]
    p1, p0 = given_["p1"], given_["p0"]

    def log_ratio_at(d: float | FloatArray) -> FloatArray:
        return np.asarray(np.log(np.maximum(p1 - np.minimum(d, 1.0), 1e-300) / p0))

    shown = epsilon_per_step(log_ratio_at, given_["delta"], given_["k"])
    assert float(shown) == pytest.approx(entry["expected"], rel=entry.get("rtol", RTOL))


def test_group_delta_is_continuous_at_zero_and_infinite_far_out() -> None:
    assert float(group_delta(1e-12, 1e-5, 4)) == pytest.approx(4e-5)
    assert float(group_delta(1e6, 1e-5, 4)) == np.inf
    assert float(group_delta(1e6, 0.0, 4)) == 0.0
    assert float(group_delta(1e6, 1e-5, 1)) == 1e-5


@given(st.floats(0.0, 20.0), st.floats(1e-9, 0.1), st.integers(1, 12))
def test_group_delta_is_the_sum_over_steps(epsilon: float, delta: float, steps: int) -> None:
    by_hand = sum(delta * np.exp(i * epsilon) for i in range(steps))
    assert float(group_delta(epsilon, delta, steps)) == pytest.approx(by_hand, rel=1e-9)


@given(st.floats(0.01, 1.0), st.floats(0.001, 1.0), st.floats(0.0, 0.2), st.integers(1, 10))
def test_per_step_never_exceeds_division_and_solves_its_equation(
    p1: float, p0: float, delta: float, steps: int
) -> None:
    def log_ratio_at(d: float | FloatArray) -> FloatArray:
        return np.log(np.maximum(p1 - np.minimum(d, 1.0), 1e-300) / p0)

    epsilon = float(epsilon_per_step(log_ratio_at, delta, steps))
    assert epsilon <= float(log_ratio_at(delta)) / steps + 1e-9
    if epsilon > 0.0:
        assert steps * epsilon <= float(log_ratio_at(group_delta(epsilon, delta, steps))) + 1e-9
        above = epsilon + 1e-9
        assert steps * above > float(log_ratio_at(group_delta(above, delta, steps)))


def test_per_step_is_elementwise_and_never_positive_when_nothing_is_shown() -> None:
    p1 = np.array([0.9, 0.9, 0.01, 0.0])
    p0 = np.array([0.01, 0.9, 0.5, 0.5])

    def log_ratio_at(d: float | FloatArray) -> FloatArray:
        excess = p1 - np.minimum(d, 1.0)
        return np.where(excess > 0.0, np.log(np.where(excess > 0.0, excess, 1.0) / p0), -np.inf)

    shown = epsilon_per_step(log_ratio_at, 0.01, 8)
    assert shown[0] == pytest.approx(0.4347, abs=5e-5)
    assert np.all(shown[1:] <= 0.0)
