import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit.statistics.gaussian_dp import delta_of, epsilon_of, mu_lower_bound, mu_of

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "bounds.json").read_text())
RTOL: float = GOLDEN["_meta"]["default_rtol"]


def expected(entry: dict[str, Any]) -> Any:
    return pytest.approx(entry["expected"], rel=entry.get("rtol", RTOL))


@pytest.mark.parametrize("entry", GOLDEN["gdp_delta"], ids=str)
def test_delta_golden(entry: dict[str, Any]) -> None:
    assert float(delta_of(entry["inputs"]["eps"], entry["inputs"]["mu"])) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["gdp_eps"], ids=str)
def test_epsilon_golden(entry: dict[str, Any]) -> None:
    assert float(epsilon_of(**entry["inputs"])) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["gdp_mu_lower_accuracy"], ids=str)
def test_mu_lower_golden(entry: dict[str, Any]) -> None:
    given_ = entry["inputs"]
    assert float(mu_lower_bound(given_["correct"], given_["n"], given_["alpha"])) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["gdp_eps_lower_accuracy"], ids=str)
def test_epsilon_lower_golden(entry: dict[str, Any]) -> None:
    given_ = entry["inputs"]
    mu = mu_lower_bound(given_["correct"], given_["n"], given_["alpha"])
    assert float(epsilon_of(mu, given_["delta"])) == expected(entry)


@pytest.mark.parametrize("correct", [0, 300, 499, 500, 520])
def test_noise_shows_nothing_and_no_negative_mu_turns_positive(correct: int) -> None:
    mu = mu_lower_bound(correct, 1000, 0.05)
    assert float(mu) == 0.0
    assert float(epsilon_of(mu, 1e-5)) == 0.0


@pytest.mark.slow
@given(st.floats(0.05, 8.0), st.floats(1e-12, 0.5))
def test_mu_and_epsilon_invert_each_other(mu: float, delta: float) -> None:
    epsilon = epsilon_of(mu, delta)
    if float(epsilon) > 0.0:
        assert float(delta_of(epsilon, mu)) == pytest.approx(delta, rel=1e-6)
        assert float(mu_of(epsilon, delta)) == pytest.approx(mu, rel=1e-7)


def test_extremes_are_finite_and_silent() -> None:
    assert float(delta_of(1000.0, 10.0)) == 0.0 or float(delta_of(1000.0, 10.0)) < 1e-300
    assert float(delta_of(5000.0, 100.0)) == pytest.approx(0.5, abs=0.01)
    assert float(delta_of(1.0, 0.0)) == 0.0
    assert float(epsilon_of(0.0, 1e-5)) == 0.0
    assert float(epsilon_of(50.0, 1e-10)) == pytest.approx(50.0 * (25.0 + 6.36), rel=1e-2)


def test_vectorised() -> None:
    mu = np.array([0.0, 0.5, 1.0, 2.0])
    epsilon = epsilon_of(mu, 1e-5)
    assert np.all(np.diff(epsilon) > 0.0)
    np.testing.assert_allclose(mu_of(epsilon[1:], 1e-5), mu[1:], rtol=1e-8)
