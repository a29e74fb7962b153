"""Roots are where they are said to be, within the tolerance, on the cautious side."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit.statistics.roots import crossing, largest_refuted, smallest_reached

EDGES = st.floats(0.0, 1000.0)
TOLERANCES = st.sampled_from([1e-3, 1e-7, 1e-10])


@given(EDGES, st.floats(0.01, 5.0), st.sampled_from([1.6, 2.0]), TOLERANCES, st.booleans())
def test_the_largest_refuted_is_below_the_edge_within_the_tolerance(
    edge: float, first: float, growth: float, tolerance: float, relative: bool
) -> None:
    found = largest_refuted(lambda e: e <= edge, first, tolerance=tolerance, growth=growth, relative=relative)
    widest = tolerance * (max(1.0, growth * max(edge, first)) if relative else 1.0)
    assert 0.0 <= edge - found <= widest + np.spacing(edge)


def test_nothing_refuted_is_zero_and_asks_once() -> None:
    asked: list[float] = []

    def never(epsilon: float) -> bool:
        asked.append(epsilon)
        return False

    assert largest_refuted(never, 0.5, tolerance=1e-7) == 0.0
    assert asked == [0.0]


def test_beyond_the_highest_nothing_is_asked() -> None:
    asked: list[float] = []

    def always(epsilon: float) -> bool:
        asked.append(epsilon)
        return True

    found = largest_refuted(always, 0.5, tolerance=1e-6, highest=3.0)
    assert found == pytest.approx(4.0, rel=1e-5)
    assert max(asked) < 4.0


@given(st.lists(st.tuples(st.integers(-3, 40), st.integers(1, 40), st.integers(1, 60)), min_size=1, max_size=9))
def test_the_smallest_reached_is_what_counting_up_finds(cells: list[tuple[int, int, int]]) -> None:
    short, width, above = (np.array(column) for column in zip(*cells, strict=True))
    edge = short + above
    found = smallest_reached(short, short + width, lambda n: n >= edge)
    for low, reach, wanted, got in zip(short, width, edge, found, strict=True):
        counted = next((n for n in range(low + 1, low + reach) if n >= wanted), low + reach)
        assert got == counted


@given(st.lists(st.floats(0.01, 9.9), min_size=1, max_size=5), TOLERANCES)
@pytest.mark.slow
def test_a_crossing_is_the_last_point_that_is_not_negative(edges: list[float], tolerance: float) -> None:
    """Of smooth and of jumping functions alike, each element by itself."""
    at = np.array(edges)
    zeros = np.zeros_like(at)
    for margin in (lambda x: at - x, lambda x: np.where(x <= at, 1.0, -inf)):
        found = crossing(margin, zeros, np.full_like(at, 10.0), tolerance)
        assert (found <= at).all()
        assert (at - found <= 2 * tolerance).all()
