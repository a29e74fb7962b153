"""The number of rows is chosen on pilots, and so that the claim could be refuted."""

import numpy as np
import pytest

from mlaudit import Claim, Dataset, Pair, audit
from mlaudit.auditing.choose import choose_pair
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.search.candidate import Candidate
from mlaudit.search.limits import Ceiling
from mlaudit.types.draws import Draws

CLAIM = Claim(1.0)


def candidate(rows: int) -> Candidate:
    zeros, ones = np.zeros(8), np.arange(8) < rows
    return Candidate("tight", Pair(Dataset(zeros), Dataset(ones.astype(float))), Laplace(1.0))


def choose(right: dict[int, float], ceiling: Ceiling | None) -> int:
    """The rows of the winner, if a share of the guesses is right for each number of rows."""

    def pilot(one: Candidate, each: int) -> Draws:
        labels = np.tile([1, 0], each)
        order = np.random.default_rng(0).permutation(2 * each)
        seen = np.where(order < right[one.pair.rows] * 2 * each, labels, 1 - labels)
        return Draws(labels, np.where(seen == 1, 1.0, -1.0)[:, None])

    def streams(one: Candidate) -> tuple[str, str]:
        return "D", str(one.pair.rows)

    return choose_pair(
        [candidate(rows) for rows in right], streams, pilot, CLAIM, 4000, 0.05, ceiling=ceiling
    ).candidate.pair.rows


def top(*, steps: int, trainings: int) -> float:
    return 5.0 / steps


@pytest.mark.parametrize(
    ("right", "ceiling", "rows"),
    [
        ({1: 0.6, 8: 1.0}, None, 8),  # the highest bound that is promised
        ({1: 0.6, 8: 1.0}, top, 1),  # eight rows show 5 / 8 at most, and already do
        ({1: 0.6, 4: 1.0, 8: 1.0}, top, 4),  # four rows show all there is, too, but may refute the claim
        ({1: 0.5, 8: 0.5}, None, 8),  # nothing is promised: more rows are more evidence
        ({1: 0.5, 4: 0.5, 8: 0.5}, top, 4),  # but no more than could refute the claim
        ({1: 0.5, 8: 0.9}, top, 8),  # more is promised with eight rows, and they have room for it
        ({8: 1.0}, top, 8),  # the only choice
    ],
)
def test_rows_that_cannot_refute_the_claim_come_last_where_pilots_reach_their_limit(
    right: dict[int, float], ceiling: Ceiling | None, rows: int
) -> None:
    assert choose(right, ceiling) == rows


@pytest.mark.slow
def test_a_short_audit_of_a_tight_pair_could_refute_its_claim() -> None:
    # With two pilots of each dataset, eight rows promise nothing, or all that they can: nothing is left to chance.
    assert audit(Laplace(1.0), trainings=100).finding.bound.ceiling > 1.0
