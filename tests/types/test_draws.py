from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit.errors import InvalidInput
from mlaudit.types.draws import Draws, join

bits = st.lists(st.integers(0, 1), min_size=1, max_size=30)


def numbered(labels: list[int], streams: tuple[str, str] = ("D′", "D")) -> Draws:
    """Draws that carry their own position as their output."""
    return Draws(labels, np.arange(float(len(labels)))[:, None], streams=streams)


@given(bits)
def test_every_draw_is_numbered_within_its_arm(labels: list[int]) -> None:
    draws = numbered(labels)
    for label in (0, 1):
        assert draws.indices(label).tolist() == list(range(labels.count(label)))


@given(bits, st.integers(0, 30))
def test_cutting_and_joining_gives_back_every_draw(labels: list[int], at: int) -> None:
    draws = numbered(labels)
    joined = join([draws[:at], draws[at:]])
    for name in ("labels", "z", "kinds", "index"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(draws, name))
    assert joined.streams == draws.streams


@given(bits, st.integers(0, 30), st.integers(0, 30))
def test_parts_share_a_draw_exactly_where_they_overlap(labels: list[int], stop: int, start: int) -> None:
    draws = numbered(labels)
    overlap = bool(set(range(len(labels))[:stop]) & set(range(len(labels))[start:]))
    assert draws[:stop].shares(draws[start:]) is overlap


def test_the_same_place_of_another_arm_is_another_draw() -> None:
    draws = numbered([0, 1], streams=("D′", "D"))
    assert not draws.shares(numbered([0, 1], streams=("other D′", "other D")))
    assert draws.shares(numbered([0, 1], streams=("other D′", "D")))
    assert not draws[:1].shares(numbered([0, 1], streams=("other D′", "D")))


def test_shorter_vectors_are_filled_up_with_nan() -> None:
    joined = join([Draws([1], [[1.0]]), Draws([0], [[2.0, 3.0]], ["2 numbers"])])
    np.testing.assert_array_equal(joined.z, [[1.0, np.nan], [2.0, 3.0]])
    assert joined.kinds.tolist() == ["", "2 numbers"]


@pytest.mark.parametrize(
    ("labels", "z"), [([0, 1], [[0.0]]), ([[0]], [[0.0]]), ([0], [0.0]), ([2], [[0.0]])], ids=str
)
def test_every_draw_has_one_label_and_one_vector(labels: Any, z: Any) -> None:
    with pytest.raises(InvalidInput, match="draws"):
        Draws(labels, z)
