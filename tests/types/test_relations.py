"""Steps under every relation, against a breadth-first search for the fewest changes of one record."""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Relation
from mlaudit.types.clipping import ClippingBox
from mlaudit.types.coverage import check_covered
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, L2Ball
from mlaudit.types.pair import Pair

Record = tuple[int, int] | None  # a feature and a label; None is the record that is absent
Rows = tuple[Record, ...]
FEATURES, LABELS = (0, 1, 2), (0, 1)
RECORDS = tuple(product(FEATURES, LABELS))


def replaced(record: Record) -> Iterator[Record]:
    yield from RECORDS


def relabelled(record: Record) -> Iterator[Record]:
    if record is not None:
        yield from ((record[0], label) for label in LABELS)


def zeroed(record: Record) -> Iterator[Record]:
    """Absent and back; zeros stand for the absent record, with the label that the record has."""
    if record is None:
        yield from RECORDS
        return
    yield None
    yield from ((feature, record[1]) for feature in (FEATURES if record[0] == 0 else (0,)))


def distance(a: Rows, b: Rows, change: Callable[[Record], Iterator[Record]]) -> int:
    """The fewest changes of one record that lead from a to b."""
    reached, edge, steps = {a}, {a}, 0
    while b not in reached:
        steps += 1
        edge = {(*rows[:i], to, *rows[i + 1 :]) for rows in edge for i in range(len(rows)) for to in change(rows[i])}
        edge -= reached
        assert edge, "there is no way"
        reached |= edge
    return steps


def as_data(rows: Rows) -> Dataset:
    records = [record for record in rows if record is not None]
    return Dataset([float(x) for x, _ in records], [y for _, y in records])


tables = st.integers(1, 3).flatmap(lambda n: st.tuples(*[st.tuples(*[st.sampled_from(RECORDS)] * n)] * 2))


@settings(max_examples=60, deadline=None)
@given(tables)
def test_steps_are_the_distance(sides: tuple[Rows, Rows]) -> None:
    a, b = sides
    if a == b:
        return
    pair = Pair(as_data(a), as_data(b))
    assert pair.steps(Relation.REPLACE_ONE) == distance(a, b, replaced)
    assert pair.steps(Relation.ZERO_OUT) == distance(a, b, zeroed)
    if [record and record[0] for record in a] == [record and record[0] for record in b]:
        assert pair.steps(Relation.LABEL_ONLY) == distance(a, b, relabelled)
    else:
        with pytest.raises(InvalidInput, match="under label-only both datasets need the same features, got other"):
            pair.steps(Relation.LABEL_ONLY)


@pytest.mark.parametrize("relation", [Relation.LABEL_ONLY, Relation.ZERO_OUT])
def test_datasets_of_another_size_are_no_neighbours(relation: Relation) -> None:
    pair = Pair(Dataset([0.0], [0]), Dataset([0.0, 0.0], [0, 1]))
    with pytest.raises(InvalidInput, match=f"under {relation.value} both datasets need the same size"):
        pair.steps(relation)


def test_a_row_of_zeros_counts_as_the_null_record_only_inside_the_declared_bounds() -> None:
    inside = Dataset([[1.0], [1.0]], domain=ClippingBox(-1.0, 2.0))
    assert Pair(inside, Dataset([[0.0], [1.0]])).steps(Relation.ZERO_OUT) == 1
    outside = Dataset([[1.0], [1.0]], domain=ClippingBox(1.0, 2.0))  # clipped, zeros are an ordinary row
    assert Pair(outside, Dataset([[0.0], [1.0]])).steps(Relation.ZERO_OUT) == 2


def test_minus_zero_is_an_ordinary_row() -> None:
    data = Dataset([[1.0]], domain=ClippingBox(-1.0, 1.0, finite=False))
    assert Pair(data, Dataset([[-0.0]], domain=data.domain)).steps(Relation.ZERO_OUT) == 2


@pytest.mark.parametrize(
    ("relation", "data", "said"),
    [
        (Relation.LABEL_ONLY, Dataset([0.0, 1.0]), "label-only needs data with labels, got none"),
        (Relation.LABEL_ONLY, Dataset([0.0, 1.0], [1, 1]), "label-only needs two labels or more, got one"),
        (Relation.ZERO_OUT, Dataset([5.5], domain=Box(5.0, 6.0)), "contains the row of zeros, got a Box without it"),
    ],
)
def test_data_without_a_neighbour_are_refused(relation: Relation, data: Dataset, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        check_covered(relation, data)


def test_data_with_a_neighbour_are_not_refused() -> None:
    check_covered(Relation.LABEL_ONLY, Dataset([0.0, 1.0], [1, 1], Box(0.0, 1.0, labels=(0, 1))))
    check_covered(Relation.ZERO_OUT, Dataset(np.ones((2, 2)), domain=L2Ball(2.0)))
