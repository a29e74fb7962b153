from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, L2Ball

numbers = st.floats(-1e100, 1e100)
tables = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(lambda shape: arrays(float, shape, elements=numbers))


@st.composite
def rows_and_domain(draw: st.DrawFn) -> tuple[FloatArray, Domain]:
    X = draw(tables)
    if draw(st.booleans()):
        return X, L2Ball(draw(st.floats(1e-100, 1e100)))
    corners = np.sort(draw(arrays(float, (2, X.shape[1]), elements=numbers)), axis=0)
    return X, Box(corners[0], corners[1])


def size_of(domain: Domain) -> float:
    """The largest number in the domain: rounding is measured by it."""
    numbers = (domain.low, domain.high, 1.0) if isinstance(domain, Box) else (getattr(domain, "radius", 0.0),)
    return max(float(np.abs(number).max()) for number in numbers)


@given(rows_and_domain())
def test_a_projection_lands_inside_and_moves_only_what_was_outside(drawn: tuple[FloatArray, Domain]) -> None:
    X, domain = drawn
    projected = domain.project(X)
    assert domain.contains(projected).all()
    assert Dataset(projected, domain=domain).domain is domain
    np.testing.assert_allclose(domain.project(projected), projected, rtol=1e-9)
    inside = domain.contains(X)
    np.testing.assert_allclose(projected[inside], X[inside], rtol=0, atol=2e-9 * size_of(domain))


@pytest.mark.slow
@given(rows_and_domain(), st.integers(0, 2**32 - 1))
def test_no_legal_row_is_nearer_than_the_projection(drawn: tuple[FloatArray, Domain], seed: int) -> None:
    X, domain = drawn
    other = domain.project(np.random.default_rng(seed).normal(size=X.shape) * np.abs(X).max(initial=1.0))
    nearest, another = (np.linalg.norm(X - rows, axis=1) for rows in (domain.project(X), other))
    assert (nearest <= another * (1 + 1e-9)).all()


@given(tables)
def test_an_enclosing_domain_holds_its_rows(X: FloatArray) -> None:
    assert Box.enclosing(X).contains(X).all()
    if np.linalg.norm(X, axis=1).max() > 0:
        assert L2Ball.enclosing(X).contains(X).all()


def test_a_row_just_outside_is_outside() -> None:
    outside = np.array([[1.0 + 1e-6, 0.0]])
    assert not Box([0, 0], [1, 1]).contains(outside).any()
    assert not L2Ball(1.0).contains(outside).any()


@pytest.mark.parametrize(
    ("low", "high"), [([0, 0], [1]), ([1], [0]), ([0], [np.inf]), ([np.nan], [1]), ([[0]], [[1]])], ids=str
)
def test_impossible_boxes_are_refused(low: Any, high: Any) -> None:
    with pytest.raises(InvalidInput, match="a box needs"):
        Box(low, high)


@pytest.mark.parametrize("radius", [0, -1.0, np.inf, np.nan, "1"])
def test_impossible_balls_are_refused(radius: Any) -> None:
    with pytest.raises(InvalidInput, match="radius must be a number"):
        L2Ball(radius)


def test_a_domain_of_other_columns_is_refused_in_one_sentence() -> None:
    with pytest.raises(InvalidInput, match="3 columns"):
        Dataset([[0.5, 0.5]], domain=Box([0, 0, 0], [1, 1, 1]))
