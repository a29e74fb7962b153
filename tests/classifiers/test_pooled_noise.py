"""Where noise lies: by labelled outputs and by all outputs."""

import numpy as np
import pytest
from numpy.random import default_rng

from mlaudit.classifiers._noise_ratio import fit_noise_ratio
from mlaudit.classifiers._pooled_noise import find_center, find_sizes
from mlaudit.types.shift import PairedShift

D, LABELLED, ALL = 10, 60, 4000


def draw(rng: np.random.Generator, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """All outputs, and the labelled ones of them without their shift; the center is shift / 2."""
    labels = rng.integers(0, 2, ALL)
    z = rng.laplace(size=(ALL, D)) + shift * labels[:, None]
    return z, z[:LABELLED] + shift * (0.5 - labels[:LABELLED, None])


@pytest.mark.parametrize("shift", [0.1, 1.0, 12.0])
def test_the_center_is_close_at_every_shift(shift: float) -> None:
    # Fails for a correct program with probability < 1e-6: the largest of 10 errors is 0.05 (deviation 0.013) at 1.0.
    # At 12.0, where no output lies in the middle, it is that of labelled outputs: 0.27 (0.085; 0.68 in 1 000 seeds).
    z, noise = draw(default_rng(0), shift)
    known = PairedShift("", np.full(D, shift), np.zeros(D), 4).among(z)
    error = np.abs(find_center(noise, known) - shift / 2).max()
    assert error < (0.2 if shift <= 1.0 else 1.2)


def test_few_labels_are_enough_for_the_log_ratio() -> None:
    # Fails for a correct program with probability < 1e-6: the means of 20 correlations with the exact ratio are 0.992
    # (deviation 0.0008) and 0.949 (0.004).
    known, found = PairedShift("", np.full(D, 0.2), np.zeros(D), 4), []
    for seed in range(20):
        z, noise = draw(default_rng(seed), 0.2)
        exact = (np.abs(z) - np.abs(z - 0.2)).sum(axis=1)
        ratios = [fit_noise_ratio(noise, shift) for shift in (known.among(z), known)]
        found.append([np.corrcoef(ratio(z), exact)[0, 1] for ratio in ratios if ratio is not None])
    with_all, without = np.mean(found, axis=0)
    assert with_all > 0.985
    assert without < 0.972


@pytest.mark.parametrize("shift", [0.05, 0.4, 6.0])
def test_the_size_of_noise_is_close_at_every_shift(shift: float) -> None:
    # Fails for a correct program with probability < 1e-6: the largest of 10 errors is 0.03 (deviation 0.009) for a
    # small shift. At 6.0 it is that of labelled outputs: 0.24 and 0.26 (0.07 and 0.08; 0.7 in 1 000 seeds).
    z, noise = draw(default_rng(0), shift)
    known = PairedShift("", np.full(D, shift), np.zeros(D), 4).among(z)
    size, deviation = find_sizes(noise - shift / 2, known)
    reach = 0.1 if shift < 1 else 0.9
    assert np.abs(size - 1.0).max() < reach
    assert np.abs(deviation / np.sqrt(2) - 1.0).max() < reach * 1.1


def test_outputs_that_do_not_fit_change_nothing() -> None:
    known = PairedShift("", np.ones(3), np.zeros(3), 4)
    assert known.among(np.empty((0, 3))).pooled is None
    assert known.among(np.ones((5, 2))).pooled is None
    assert known.among(np.full((5, 3), np.nan)).pooled is None
    found = (
        known.among(np.vstack([np.ones((5, 4)), np.full((1, 4), np.inf), [[np.nan, 1.0, 1.0, 1.0]]]))
        .at(np.array([2]))
        .pooled
    )
    assert found is not None
    assert (found.center.tolist(), found.size.tolist(), found.count) == ([1.0], [0.0], 5)
