"""Every mechanism keeps its claim. Twenty tests at a flake rate of 5e-8 each: at most 1e-6 for the whole run."""

from typing import Any

import numpy as np
import pytest
from private_stats import counts, learning, local, selection, sums

from mlaudit import Dataset
from mlaudit.testing import assert_private

FLAKE_RATE = 5e-8

BITS = Dataset([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], name="bits")
VALUES = Dataset(np.linspace(0.0, 1.0, 9), name="values")
ITEMS = Dataset([0.0, 1.0, 1.0, 2.0, 3.0, 1.0, 0.0], name="items")
ANSWERS = Dataset([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], name="answers")
VECTORS = Dataset([[-1.0, -1.0], [1.0, 1.0], [0.5, -0.5], [0.0, 1.0], [-0.6, 0.8]], name="vectors")
LABELLED = Dataset(VECTORS.X, [0, 1, 0, 1, 1], name="labelled")

PURE: list[tuple[Any, Dataset]] = [
    (counts.count_ones, BITS),
    (counts.count_above_half, BITS),
    (counts.count_by_staircase, BITS),
    (counts.histogram, VALUES),
    (counts.contingency_table, ANSWERS),
    (sums.clipped_sum, VALUES),
    (sums.clipped_mean, VALUES),
    (sums.snapped_sum, VALUES),
    (sums.vector_sum, VECTORS),
    (selection.most_common_item, ITEMS),
    (selection.most_common_by_flips, ITEMS),
    (selection.most_common_by_noise, ITEMS),
    (selection.first_large_count, ITEMS),
    (selection.noisy_median, VALUES),
    (selection.noisy_quantile, VALUES),
    (local.randomised_response, BITS),
    (local.k_randomised_response, ITEMS),
    (learning.logistic_regression, LABELLED),
]
WITH_DELTA: list[tuple[Any, Dataset]] = [(sums.gaussian_sum, VALUES), (learning.gradient_step, LABELLED)]


@pytest.mark.parametrize(("mechanism", "data"), PURE, ids=[made.__name__ for made, _ in PURE])
def test_pure_claim(mechanism: Any, data: Dataset) -> None:
    """ε = 1 for a replaced row."""
    assert_private(mechanism, data, epsilon=1.0, flake_rate=FLAKE_RATE)


@pytest.mark.parametrize(("mechanism", "data"), WITH_DELTA, ids=[made.__name__ for made, _ in WITH_DELTA])
def test_claim_with_delta(mechanism: Any, data: Dataset) -> None:
    """The Gaussian mechanisms, with their own ε and δ."""
    epsilon, delta = sums.GAUSSIAN_EPSILON, sums.GAUSSIAN_DELTA
    assert_private(mechanism, data, epsilon=epsilon, delta=delta, flake_rate=FLAKE_RATE)
