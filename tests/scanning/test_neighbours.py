"""Every neighbour is a legal one: one step from its base, inside the domain, D untouched."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlaudit.scanning.neighbours import neighbours
from mlaudit.search.region import extreme_rows
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, L2Ball


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    n, columns = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    X = rng.integers(0, 3, (n, columns)) / 2.0
    y = draw(st.sampled_from([None, rng.integers(0, 3, n), rng.choice(["no", "yes"], n)]))
    labels = None if y is None else tuple(np.unique(y).tolist())
    domain = draw(st.sampled_from([None, Box.enclosing(X, labels), L2Ball(4.0, labels)]))
    return Dataset(X, y, domain)


@pytest.mark.slow
@settings(deadline=None)
@given(datasets())
def test_one_legal_step(data: Dataset) -> None:
    before = data.digest
    for neighbour in neighbours(data):
        pair = neighbour.pair
        assert pair.rows == 1
        assert pair.steps(pair.relation) == 1
        if data.domain is not None:
            assert data.domain.contains(pair.base.X).all()
            assert data.domain.contains(pair.neighbour.X).all()
        if data.y is not None and pair.neighbour.y is not None:
            assert set(np.unique(pair.neighbour.y)) <= set(np.unique(data.y))
    assert data.digest == before


@pytest.mark.slow
@settings(deadline=None)
@given(datasets())
def test_none_comes_twice(data: Dataset) -> None:
    made = neighbours(data)
    assert len({(one.pair.base.digest, one.pair.neighbour.digest) for one in made}) == len(made)


def test_both_relations_first_and_last_row_bounds_and_classes() -> None:
    data = Dataset([[0.1], [0.4], [0.9], [0.5]], [0, 1, 0, 1], Box([0.0], [1.0], (0, 1)))
    made = {one.change: one.pair for one in neighbours(data)}
    assert {pair.relation for pair in made.values()} == {Relation.REPLACE_ONE, Relation.ADD_REMOVE}
    assert made["the first row less"].neighbour.X.ravel().tolist() == [0.4, 0.9, 0.5]
    assert made["a row at the upper bound more, as the last"].neighbour.X[-1, 0] == 1.0
    assert made["the last row moved to the lower bound"].neighbour.X[-1, 0] == 0.0
    gone = made["the only row of a class given another label"]
    assert gone.base.y is not None
    assert gone.neighbour.y is not None
    assert len(np.unique(gone.base.y)) == 2
    assert len(np.unique(gone.neighbour.y)) == 1
    alone = made["all rows at the lower bound, the first moved to the upper"]
    assert alone.base.X.ravel().tolist() == [0.0] * 4


def test_extremes_of_a_ball_lie_on_it() -> None:
    low, high = extreme_rows(Dataset([[0.0, 0.0]], domain=L2Ball(2.0)))
    assert np.allclose(np.linalg.norm([low, high], axis=1), 2.0)


def test_extremes_reach_bounds_that_are_far_from_zero() -> None:
    data = Dataset([[2e6]], domain=Box([1.5e6], [4e9]))
    assert [row.tolist() for row in extreme_rows(data)] == [[1.5e6], [4e9]]
    moved = {float(one.pair.neighbour.X[0, 0]) for one in neighbours(data) if "moved" in one.change}
    assert moved == {1.5e6, 4e9}
