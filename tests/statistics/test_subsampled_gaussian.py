"""The composed subsampled Gaussian: against closed forms, and rounded to the side that is asked for."""

import pytest

from mlaudit.errors import InvalidInput
from mlaudit.statistics import gaussian_dp
from mlaudit.statistics.subsampled_gaussian import epsilon_of, noise_multiplier

pytest.importorskip("dp_accounting")


@pytest.mark.parametrize(("mu", "steps"), [(0.1, 100), (1.0, 4), (20.0, 2)])
@pytest.mark.slow
def test_full_batches_are_gaussian_dp(mu: float, steps: int) -> None:
    exact = float(gaussian_dp.epsilon_of(mu * steps**0.5, 1e-5))
    low, high = (epsilon_of(mu, 1.0, steps, 1e-5, rounded_up=up) for up in (False, True))
    assert low <= exact <= high
    assert low == pytest.approx(exact, rel=0.01)
    assert high == pytest.approx(exact, rel=0.01)


@pytest.mark.slow
def test_one_step_in_closed_form() -> None:
    """δ of the subsampled Gaussian at ε is q δ_μ(ln(1 + (e^ε − 1)/q)) for a record that is removed."""
    import numpy as np

    q, mu, epsilon = 0.2, 1.5, 0.8
    delta = q * float(gaussian_dp.delta_of(np.log1p(np.expm1(epsilon) / q), mu))
    low, high = (epsilon_of(mu, q, 1, delta, rounded_up=up) for up in (False, True))
    assert low <= epsilon * (1 + 1e-9)
    assert low == pytest.approx(epsilon, abs=2e-3)
    assert high == pytest.approx(epsilon, abs=2e-3)


def test_the_noise_is_just_enough() -> None:
    noise = noise_multiplier(4.0, 1e-5, 0.1, 100)
    found = epsilon_of(1 / noise, 0.1, 100, 1e-5, rounded_up=True)
    assert 0.999 * 4.0 < found <= 4.0
    assert noise == pytest.approx(1.3862, rel=1e-3)


def test_bad_input() -> None:
    assert epsilon_of(0.0, 0.1, 5, 1e-5, rounded_up=False) == 0.0
    with pytest.raises(InvalidInput, match="rate must be a number in"):
        epsilon_of(1.0, 0.0, 5, 1e-5, rounded_up=False)
    with pytest.raises(InvalidInput, match="steps must be a whole number of at least 1"):
        epsilon_of(1.0, 0.1, 0, 1e-5, rounded_up=False)
