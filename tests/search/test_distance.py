"""A spike of density counts, though it moves neither the mean nor the spread."""

import numpy as np
import pytest
from broken_learners import Spikes
from numpy.random import default_rng

from mlaudit import Claim, Dataset, Relation
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.drawing.outcome import pack_rows
from mlaudit.search.distance import distance_shifts
from mlaudit.search.loss import cautious_loss
from mlaudit.search.run import search_neighbours
from mlaudit.search.score import shift
from mlaudit.types.domain import Box


# Fails for a correct program with probability < 1e-9: of 64 outputs 13 are the spike, with a deviation of 3; 2 would
# do.
def test_a_spike_counts_as_a_shift_and_as_a_loss() -> None:
    rng = default_rng(0)
    noise, other = rng.laplace(size=(128, 1)), rng.laplace(size=(64, 1))
    spiked = np.where(rng.random((64, 1)) < 0.2, 0.1, other)
    sides = [pack_rows(z, None, (0.0, 0.0)) for z in (noise, spiked)]
    assert shift(*sides) > 0.2
    assert cautious_loss(*sides) > 1


def test_equal_outputs_have_no_distance_and_a_value_that_came_once_is_none() -> None:
    noise = default_rng(1).laplace(size=(16, 3))
    assert distance_shifts(noise, noise).tolist() == [0.0, 0.0, 0.0]
    once = noise.copy()
    once[3] += 1e-6
    assert distance_shifts(noise, once).max() == 0


# Fails for a correct program with probability < 1e-6: no other pair has a score at all, and of the 64 pilots of the
# last row on either side a fifth shows it.
@pytest.mark.slow
def test_a_search_finds_the_row_that_a_spike_shows() -> None:
    data = Dataset([1.0, 1.0, 1.0, 1.0, 1.0, 0.0], domain=Box(0.0, 1.0))
    found = search_neighbours(FittedMechanism(Spikes(), Claim(1.0)), data, Relation.REPLACE_ONE, (1,), 2000, 0)
    assert found.candidates[0].pair.neighbour.X[-1] != 0
