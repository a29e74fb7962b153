"""Output perturbation in batches, against the mechanism's own fit and noise."""

import pickle

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.stats import gamma, kstest

from mlaudit.datasets._load import load_data
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.samplers import logistic_output_batched
from mlaudit.testing.equivalence import compare
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset

DRAWS = 10_000
LEVEL = 1e-7  # of each comparison that a right sampler must pass


def synthetic() -> Dataset:
    rng = default_rng(2)
    return Dataset(rng.normal(size=(200, 51)), rng.integers(0, 2, 200), name="synthetic")


DATA = {"iris": load_data("iris"), "breast_cancer": load_data("breast_cancer"), "synthetic": synthetic()}


def fixed(name: str, learner: LogisticOutput) -> Dataset:
    return DATA[name].within(learner.domain(DATA[name]))


def by_fit(learner: LogisticOutput, data: Dataset, seed: int) -> FloatArray:
    """What fit does, its training done once: fit adds the first of its noise vectors to it."""
    return np.asarray(learner.minimiser(data) + learner.draw_noise(data, DRAWS, SeedSequence(seed)))


def test_fit_is_its_training_and_its_noise() -> None:
    learner = LogisticOutput(1.0)
    data = fixed("iris", learner)
    seed = SeedSequence(3)
    noise = learner.draw_noise(data, 1, SeedSequence(3))[0]
    assert (learner.fit(data, seed) == learner.minimiser(data) + noise).all()


# Fails for a correct program with probability < 3e-7: three p-values of a valid test, each of which is below LEVEL
# with probability LEVEL at most.
@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_batches_are_drawn_from_the_mechanisms_distribution(name: str) -> None:
    learner = LogisticOutput(1.0)
    data = fixed(name, learner)
    batched = logistic_output_batched.prepare(learner, data, None)(DRAWS, SeedSequence(1))
    assert compare(batched, by_fit(learner, data, 0)).pvalue > LEVEL


@pytest.mark.parametrize("epsilon", [0.1, 8.0])
@pytest.mark.parametrize("name", DATA)
def test_at_another_epsilon_the_same_noise_is_scaled(name: str, epsilon: float) -> None:
    """By the mechanism and in batches alike: what holds of the distribution at one ε holds at every ε."""
    usual, other = LogisticOutput(1.0), LogisticOutput(epsilon)
    data = fixed(name, usual)
    noise, scaled = (learner.draw_noise(data, 50, SeedSequence(0)) for learner in (usual, other))
    np.testing.assert_allclose(scaled, noise / epsilon, rtol=1e-9)
    draws = [logistic_output_batched.prepare(learner, data, None) for learner in (usual, other)]
    batched, rescaled = (draw(50, SeedSequence(0)) - draw.center for draw in draws)
    np.testing.assert_allclose(rescaled, batched / epsilon, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(draws[1].center, other.minimiser(data), rtol=1e-9, atol=1e-12)


# Fails for a correct program with probability < 1e-7: the p-value of a valid test.
@pytest.mark.slow
def test_the_control_fit_against_fit() -> None:
    learner = LogisticOutput(1.0)
    data = fixed("iris", learner)
    assert compare(by_fit(learner, data, 0), by_fit(learner, data, 1)).pvalue > LEVEL


# Fails for a correct program with probability < 2e-6: five p-values above LEVEL; of the 1 106 means of coordinates
# one beyond 6.5 deviations (8e-11 each, normal tail); of the 1 105 mean squares one beyond 12 / √2 = 8.4 (1e-13
# each).
@pytest.mark.parametrize("columns", [1, 2, 3, 100, 1000])
def test_the_noise_has_a_gamma_norm_and_no_preferred_direction(columns: int) -> None:
    draw = logistic_output_batched.Batch(np.zeros(columns), 0.5)
    noise = draw(4000, SeedSequence(columns))
    norms = np.linalg.norm(noise, axis=1)
    assert kstest(norms, gamma(columns, scale=0.5).cdf).pvalue > LEVEL
    unit = noise / norms[:, None]
    assert np.abs(unit.mean(axis=0)).max() < 6.5 / np.sqrt(4000 * columns)
    if columns > 1:
        assert np.allclose((unit**2).mean(axis=0), 1 / columns, atol=12 / columns / np.sqrt(4000))


# Fails for a correct program with probability < 1e-9: the least of the three shares of right guesses is 0.657 of 10
# 000, where 0.525 are enough for p < 1e-6: 26 binomial deviations away.
@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["one exponential for the norm", "noise of each coordinate", "half the scale"])
def test_another_noise_is_told_from_the_mechanisms(wrong: str) -> None:
    learner = LogisticOutput(1.0)
    data = fixed("iris", learner)
    draw, rng = logistic_output_batched.prepare(learner, data, None), default_rng(1)
    direction = rng.normal(size=(DRAWS, 4))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    noise = {
        "one exponential for the norm": direction * rng.exponential(4 * draw.scale, (DRAWS, 1)),
        "noise of each coordinate": rng.laplace(0, draw.scale, (DRAWS, 4)),
        "half the scale": direction * rng.gamma(4, draw.scale / 2, (DRAWS, 1)),
    }[wrong]
    assert compare(draw.center + noise, by_fit(learner, data, 0)).pvalue < 1e-6


def test_draws_depend_on_the_seed_and_the_row_alone() -> None:
    learner = LogisticOutput(1.0)
    draw = logistic_output_batched.prepare(learner, fixed("iris", learner), None)
    many = draw(50, SeedSequence(4))
    np.testing.assert_allclose(draw(7, SeedSequence(4)), many[:7], rtol=1e-9)
    assert (pickle.loads(pickle.dumps(draw))(50, SeedSequence(4)) == many).all()
    assert not (draw(50, SeedSequence(5)) == many).all(axis=1).any()
