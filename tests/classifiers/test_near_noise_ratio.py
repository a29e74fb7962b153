"""The log-ratio of noise that is nearly added to a known shift."""

from dataclasses import replace

import numpy as np
import pytest

from mlaudit.classifiers._features import make_features
from mlaudit.classifiers._near_noise_ratio import NearNoiseRatio, fit_near_noise_ratio, fit_powers
from mlaudit.classifiers.additive import Additive
from mlaudit.types.shift import PairedShift

D = 4
SHIFT = np.array([0.3, -0.2, 0.1, 0.0])


def known(spread: float = 0.1) -> PairedShift:
    return PairedShift("", SHIFT, np.full(D, spread), 20)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0], ids=["laplace", "between", "normal"])
def test_it_is_close_to_the_exact_ratio_for_common_kinds_of_noise(power: float) -> None:
    # Fails for a correct program with probability < 1e-5: the correlation is 0.964 on average for normal noise
    # (deviation 0.003 over 200 seeds), at least 0.99 for the others. With one power for all it was 0.88 for Laplace.
    rng = np.random.default_rng(0)
    noise = rng.gamma(1 / power, size=(2000, D)) ** (1 / power) * rng.choice([-1.0, 1.0], size=(2000, D))
    found = fit_near_noise_ratio(noise, known())
    assert found is not None
    z = noise[:500] + SHIFT / 2
    exact = (np.abs(z + SHIFT / 2) ** power - np.abs(z - SHIFT / 2) ** power).sum(axis=1)
    assert np.corrcoef(found(z), exact)[0, 1] > 0.95


def test_each_coordinate_has_the_power_of_its_own_noise() -> None:
    # Fails for a correct program with probability < 1e-9: see fit_powers.
    rng = np.random.default_rng(0)
    counts = rng.geometric(0.3, size=(5000, 2)) @ [1.0, -1.0]
    power, _ = fit_powers(np.column_stack([rng.laplace(size=5000), rng.normal(size=5000), counts]))
    assert power.tolist() == [1.0, 1.5, 1.5]


def test_coordinates_that_say_the_same_count_once() -> None:
    z = np.random.default_rng(0).normal(size=(500, 2))
    doubled = np.hstack([z, -z])
    shift = PairedShift("", np.array([0.5, 0.2, -0.5, -0.2]), np.full(4, 0.1), 20)
    found = fit_near_noise_ratio(doubled, shift)
    assert found is not None
    assert len(found.columns) == 2


@pytest.mark.parametrize(
    ("noise", "shift"),
    [
        (np.random.default_rng(0).normal(size=(50, D)), known(spread=5.0)),
        (np.random.default_rng(0).normal(size=(50, D)), replace(known(), shift=np.zeros(D))),
        (np.zeros((50, D)), known()),
    ],
    ids=["common seeds share little noise", "no shift", "no noise"],
)
def test_no_ratio_where_noise_is_not_nearly_added(noise: np.ndarray, shift: PairedShift) -> None:
    assert fit_near_noise_ratio(noise, shift) is None


def test_a_ratio_that_cannot_be_fitted_any_more_stays_and_none_comes_later() -> None:
    """Members of a model keep their past losses, so their number must not change."""
    rng, labels = np.random.default_rng(0), np.tile([0, 1], 100)
    noisy, constant = rng.normal(size=(200, D)), np.zeros((200, D))
    first, never = make_features(noisy, labels, known()), make_features(constant, labels, None)
    assert isinstance(first.ratio, NearNoiseRatio)
    assert make_features(constant, labels, known(), first).ratio is not None
    assert make_features(noisy, labels, known(), never).ratio is None


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["noise ends", "noise begins"])
def test_the_distinguisher_goes_on_where_noise_ends_or_begins(order: tuple[int, int]) -> None:
    # A forest's votes were constant in the first draws, and learning ended in an exception.
    rng, labels = np.random.default_rng(0), np.tile([0, 1], 50)
    parts = [rng.normal(size=(100, D)), np.zeros((100, D))]
    learner = Additive().start(known())
    for _ in range(3):
        for part in order:
            learner.add(parts[part], labels)
    assert np.isfinite(learner.score(parts[0])).all()
