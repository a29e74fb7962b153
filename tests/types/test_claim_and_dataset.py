from typing import Any

import numpy as np
import pytest

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box


@pytest.mark.parametrize("epsilon", [0, -1.0, float("nan"), float("inf"), "1", True, None])
def test_epsilon_is_a_finite_number_above_zero(epsilon: Any) -> None:
    with pytest.raises(InvalidInput, match="epsilon must be a number"):
        Claim(epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1.0, float("nan"), "0"])
def test_delta_is_a_number_from_zero_to_below_one(delta: Any) -> None:
    with pytest.raises(InvalidInput, match="delta must be a number"):
        Claim(1.0, delta)


def test_a_relation_is_never_text() -> None:
    with pytest.raises(InvalidInput, match=r"Relation\.REPLACE_ONE, Relation\.ADD_REMOVE, .*, got 'add-remove'"):
        Claim(1.0, relation="add-remove")  # type: ignore[arg-type]


def test_a_gaussian_claim_needs_delta() -> None:
    with pytest.raises(InvalidInput, match="Gaussian claim needs delta above 0"):
        Claim(1.0, gaussian=True)


def test_numbers_of_any_kind_become_floats() -> None:
    claim = Claim(np.float32(2), np.float64(0.5))  # type: ignore[arg-type]
    assert (type(claim.epsilon), claim.epsilon, claim.delta) == (float, 2.0, 0.5)


def test_a_claim_reads_as_a_person_would_say_it() -> None:
    assert str(Claim(1.0, 1e-5, Relation.ADD_REMOVE)) == "ε = 1, δ = 1e-05, add-remove"
    assert str(Claim(0.5)) == "ε = 0.5, replace-one"


def test_a_dataset_is_a_copy_that_cannot_be_written_to() -> None:
    X, y = np.zeros((2, 1)), np.zeros(2)
    data = Dataset(X, y)
    X[0], y[0] = 7.0, 7.0
    assert data.X[0, 0] == 0.0
    assert data.y is not None
    assert data.y[0] == 0.0
    for array in (data.X, data.y):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0


def test_a_flat_list_is_one_column_and_images_are_flattened() -> None:
    assert Dataset([1.0, 2.0, 3.0]).X.shape == (3, 1)
    assert Dataset(np.zeros((3, 4, 2))).X.shape == (3, 8)


@pytest.mark.parametrize("X", [[], [[]], np.empty((0, 3)), np.empty((3, 0))], ids=["none", "row", "rows", "columns"])
def test_an_empty_table_is_refused(X: Any) -> None:
    with pytest.raises(InvalidInput, match="at least one row and one column"):
        Dataset(X)


@pytest.mark.parametrize("X", [["a"], [[1.0], [1.0, 2.0]], [None, {}]], ids=["text", "ragged", "objects"])
def test_rows_are_numbers(X: Any) -> None:
    with pytest.raises(InvalidInput, match="table of numbers"):
        Dataset(X)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_rows_and_labels_are_finite(bad: float) -> None:
    with pytest.raises(InvalidInput, match="NaN or infinity in row 1"):
        Dataset([0.0, bad])
    with pytest.raises(InvalidInput, match="labels must be finite"):
        Dataset([0.0, 1.0], [0.0, bad])


@pytest.mark.parametrize("y", [[0], [[0], [1]], 0])
def test_every_row_has_one_label(y: Any) -> None:
    with pytest.raises(InvalidInput, match="one label per row"):
        Dataset([0.0, 1.0], y)


def test_labels_are_numbers_or_text() -> None:
    assert Dataset([0.0, 1.0], ["no", "yes"]).y is not None
    with pytest.raises(InvalidInput, match="numbers or text"):
        Dataset([0.0, 1.0], [None, object()])  # type: ignore[arg-type]


def test_rows_outside_the_declared_domain_are_refused() -> None:
    with pytest.raises(InvalidInput, match="got row 1 outside Box"):
        Dataset([0.5, 1.5], domain=Box(0, 1))
    with pytest.raises(InvalidInput, match="got row 1 outside Box"):
        Dataset([0.5, 1.5]).within(Box(0, 1))


def test_labels_outside_the_declared_domain_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"labels must be among \[0, 1\], got 2"):
        Dataset([0.0, 1.0], [0, 2], Box(0, 1, labels=(0, 1)))


def test_other_rows_stay_in_the_domain_under_the_name() -> None:
    data = Dataset([0.5], domain=Box(0, 1), name="mine")
    other = data.with_rows([0.25])
    assert (other.domain, other.name) == (data.domain, "mine")
    with pytest.raises(InvalidInput, match="outside Box"):
        data.with_rows([1.25])


def test_digests_are_equal_exactly_where_the_data_are() -> None:
    data = Dataset([[0.0, 1.0], [2.0, 3.0]], [0, 1])
    same = Dataset(np.array([[-0.0, 1], [2, 3]]), [0, 1], Box([0, 0], [9, 9]), "another name")
    others = [
        Dataset([[0.0, 1.0], [2.0, 3.0]]),
        Dataset([[0.0, 1.0], [2.0, 3.0]], [1, 0]),
        Dataset([[0.0, 1.0], [2.0, 3.0]], ["0", "1"]),
        Dataset([[0.0, 1.0], [2.0, 3.5]], [0, 1]),
        Dataset([0.0, 1.0, 2.0, 3.0]),
    ]
    assert data.digest == same.digest
    assert len({data.digest, *(other.digest for other in others)}) == 6
