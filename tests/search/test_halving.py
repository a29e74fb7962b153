"""Successive halving drops the worse half of every round, and keeps everybody in order."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mlaudit.search.halving import halve_field

scores = st.lists(st.integers(0, 20), min_size=1, max_size=40)


@given(scores, st.integers(1, 6))
def test_every_round_has_half_the_entrants_until_the_fewest(field: list[int], fewest: int) -> None:
    sizes: list[int] = []

    def rank(entrants: list[int], at: int) -> list[int]:
        assert at == len(sizes)
        sizes.append(len(entrants))
        return sorted(entrants, reverse=True)

    assert halve_field(field, rank, fewest) == sorted(field, reverse=True)
    assert sizes[0] == len(field)
    assert sizes[-1] <= max(fewest, 1)
    assert all(after == max(fewest, math.ceil(before / 2)) for before, after in pairwise(sizes))


@given(scores, st.integers(0, 4))
def test_a_round_that_cannot_be_paid_for_is_the_end(field: list[int], paid: int) -> None:
    rounds: list[int] = []

    def rank(entrants: list[int], at: int) -> list[int] | None:
        rounds.append(at)
        return sorted(entrants) if at < paid else None

    assert halve_field(field, rank) == (sorted(field) if paid else field)
    assert rounds == list(range(len(rounds)))
    assert len(rounds) <= paid + 1


def test_the_dropped_stay_behind_in_the_order_of_the_round_that_dropped_them() -> None:
    """More pilots may turn a ranking round: that moves nobody across the line."""
    orders = [["b", "a", "d", "c"], ["a", "b"], ["a"]]
    assert halve_field(list("abcd"), lambda _, at: orders[at]) == ["a", "b", "d", "c"]
