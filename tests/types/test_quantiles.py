"""Quantiles of columns, compared with numpy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlaudit.types.quantiles import find_quantiles

SHARES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4).map(sorted)
TABLES = st.tuples(st.integers(1, 40), st.integers(1, 4)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(-5, 5).map(float) | st.floats(-1e6, 1e6))
)


@given(TABLES, SHARES)
def test_they_are_those_of_numpy(z: np.ndarray, shares: list[float]) -> None:
    before = z.copy()
    for found, expected in zip(find_quantiles(z, shares), np.quantile(z, shares, axis=0), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert np.array_equal(z, before)


def test_the_layout_of_the_table_does_not_matter() -> None:
    z = np.random.default_rng(0).normal(size=(50, 3))
    kept = z.copy()
    for table in (z, np.asfortranarray(z), z[::-1]):
        assert np.array_equal(find_quantiles(table, (0.25, 0.5, 0.75)), np.quantile(kept, (0.25, 0.5, 0.75), axis=0))
    assert np.array_equal(z, kept)
