"""Shuffled batches accounted as Poisson: the pair that leaks several times what is accounted."""

import numpy as np
from numpy.random import default_rng
from shuffled_batches import ShuffledBatches, exceeding, zeroed_out_epsilon

DRAWS = 20_000


def test_a_record_that_is_zeroed_out_leaks_more_than_is_accounted() -> None:
    assert round(zeroed_out_epsilon(100, 1.0, 1e-5), 2) == 4.06
    assert round(ShuffledBatches(100, 1, 1.0).claim(1e-5).epsilon, 2) == 0.72


def test_the_probability_of_a_large_sum_is_that_of_simulated_batches() -> None:
    sums = default_rng(0).standard_normal((DRAWS, 10))
    sums[:, 0] += 2.0
    found = np.mean(sums.max(axis=1) > 2.5)
    # Beyond six standard errors once in 5e8 seeds.
    truth = exceeding(np.array([2.5]), 10, 2.0, 1.0)[0]
    assert abs(found - truth) < 6 * np.sqrt(truth * (1 - truth) / DRAWS)
