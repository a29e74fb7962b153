"""Rows outside the declared domain: legal only where the learner promises to clip them; steps count as always."""

import numpy as np
import pytest

from mlaudit import Box, Dataset, L2Ball, Pair, Relation
from mlaudit.errors import InvalidInput
from mlaudit.naming.codec import decode, encode
from mlaudit.types.clipping import ClippingBall, ClippingBox, as_clipping, is_outside, takes_any
from mlaudit.types.edits import add_rows, find_unequal, replace_rows
from mlaudit.witness.slots import pair_of, slots_of

ANY = ClippingBox(0.0, 1.0, finite=False)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_need_a_promise_of_their_own(value: float) -> None:
    for domain in (None, Box(0.0, 1.0), L2Ball(1.0), ClippingBox(0.0, 1.0), ClippingBall(1.0)):
        with pytest.raises(InvalidInput, match="X must be finite"):
            Dataset([value], domain=domain)
    assert len(Dataset([value], domain=ANY)) == 1
    assert len(Dataset([value], domain=ClippingBall(1.0, finite=False))) == 1


def test_rows_beyond_the_bounds_need_the_promise_to_clip() -> None:
    with pytest.raises(InvalidInput, match="declared domain"):
        Dataset([7.0], domain=Box(0.0, 1.0))
    data = Dataset([[7.0], [0.5]], domain=ClippingBox(0.0, 1.0))
    assert is_outside(data.X, data.domain).tolist() == [True, False]
    assert not is_outside(data.X, Box(0.0, 1.0)).any()  # nothing was promised


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.0, 1e200])
def test_steps_are_counted_by_the_bytes_of_rows(value: float) -> None:
    base = Dataset([[0.0], [value], [value], [0.0]], domain=ANY)
    assert Pair(base, replace_rows(base, 0, value)).steps(Relation.REPLACE_ONE) == 1
    assert Pair(base, add_rows(base, 4, [value])).steps(Relation.ADD_REMOVE) == 1
    assert find_unequal(base, np.arange(4), [value]).tolist() == [0, 3]
    with pytest.raises(InvalidInput, match="must differ"):
        Pair(base, replace_rows(base, 1, value))


def test_a_negative_zero_is_zero_without_the_promise() -> None:
    assert Dataset([-0.0]).digest == Dataset([0.0]).digest
    assert Dataset([-0.0], domain=ANY).digest != Dataset([0.0], domain=ANY).digest
    assert find_unequal(Dataset([0.0]), np.arange(1), [-0.0]).tolist() == []


@pytest.mark.parametrize("value", [np.nan, -0.0, np.inf])
def test_a_pair_with_such_rows_is_written_read_and_taken_apart(value: float) -> None:
    pair = Pair(Dataset([[0.0], [value]], domain=ANY), Dataset([[value], [value]], domain=ANY), target=[0.5])
    for again in (decode(encode(pair)), pair_of(slots_of(pair), pair.base.domain, target=True)):
        assert (again.base.digest, again.neighbour.digest) == (pair.base.digest, pair.neighbour.digest)
        assert isinstance(again.base.domain, ClippingBox)
    assert [slot.changed for slot in slots_of(pair)] == [True, False]


def test_a_promise_needs_bounds_or_a_norm() -> None:
    assert takes_any(as_clipping(L2Ball(1.0), "any"))
    assert not takes_any(as_clipping(Box(0.0, 1.0), "finite"))
    assert as_clipping(None, "") is None
    with pytest.raises(InvalidInput, match="need declared bounds or a norm"):
        as_clipping(None, "finite")
    with pytest.raises(InvalidInput, match="outside"):
        as_clipping(Box(0.0, 1.0), "all")
