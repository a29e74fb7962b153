"""Outputs of every type become numbers and kinds by one rule, and each type is audited as it is."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest

from mlaudit import Claim, Dataset, Pair, audit, refute
from mlaudit.drawing.outcome import observe
from mlaudit.types.readings import name_numbers, read_output

PAIR = Pair(Dataset([0.0, 1.0, 1.0]), Dataset([1.0, 1.0, 1.0]))
CLAIM = Claim(1.0)


class Colour(Enum):
    RED = 1


@dataclass
class Stats:
    mean: float
    label: str


CASES: list[tuple[Any, list[float], str]] = [
    (True, [1.0], ""),
    ("red", [], "'red'"),
    (None, [], "None"),
    (b"\x01\xff", [], "'01ff'"),
    (Colour.RED, [], "'RED'"),
    ({3, 1}, [], "'{1, 3}'"),
    ((1.0, "a"), [1.0], "= 2 entries; [1] = 'a'"),
    ([["a", None]], [], "= 1 entries; [0] = ['a', None]"),
    ({"b": 2, "a": 1.5}, [1.5, 2.0], "keys a, b"),
    ({"b": 2}, [2.0], "keys b"),
    ({}, [], "keys none"),
    ({"x": {"y": [1, 2]}, "z": None}, [1.0, 2.0], "keys x, z; x keys y; z = None"),
    ([[1.0], [1.0, 2.0]], [1.0, 1.0, 2.0], "= 2 entries"),
    (Stats(0.5, "low"), [0.5], "keys label, mean; label = 'low'"),
    (np.array(["a", "b"]), [], "= ['a', 'b']"),
]


@pytest.mark.parametrize(("output", "numbers", "kind"), CASES, ids=str)
def test_every_type_is_numbers_and_a_kind(output: Any, numbers: list[float], kind: str) -> None:
    found = read_output(output)
    assert found is not None
    assert found.numbers.tolist() == numbers
    assert found.kind == kind
    assert len(name_numbers(output)) == len(numbers)


def test_long_texts_and_many_keys_are_told_by_their_hashes() -> None:
    one, two = (read_output({"text": letter * 10_000}) for letter in "ab")
    assert one is not None
    assert two is not None
    assert one.kind != two.kind
    assert len(one.kind) < 100
    many = read_output({f"key {at}": float(at) for at in range(1000)})
    assert many is not None
    assert len(many.kind) < 100


def test_an_object_within_itself_cannot_be_read() -> None:
    endless: list[Any] = ["a", 1.0]
    endless.append(endless)
    assert read_output(endless) is None


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_are_read_column_by_column(library: str) -> None:
    module = pytest.importorskip(library)
    columns = {"b": [1.0, 2.0], "a": [3.0, 4.0]}
    make = module.table if library == "pyarrow" else module.DataFrame
    found = read_output(make(columns))
    assert found is not None
    assert found.numbers.tolist() == [3.0, 4.0, 1.0, 2.0]
    assert name_numbers(make(columns)) == ["output.a[0]", "output.a[1]", "output.b[0]", "output.b[1]"]
    mixed = read_output(make({**columns, "c": ["x", "y"]}))
    assert mixed is not None
    assert "c = ['x', 'y']" in mixed.kind


def test_fitted_objects_are_read_by_their_attributes() -> None:
    from sklearn.preprocessing import StandardScaler

    found = StandardScaler().fit([[0.0], [2.0]])
    assert "output.mean_[0]" in name_numbers(found)


@pytest.mark.extra("dpsgd")
def test_modules_of_torch_are_read_by_their_parameters() -> None:
    torch = pytest.importorskip("torch")
    module = torch.nn.Linear(2, 1)
    names = name_numbers(module)
    assert names == ["output.bias[0]", "output.weight[0]", "output.weight[1]"]
    read = read_output(module.state_dict())
    assert read is not None
    assert np.allclose(read.numbers[1:], module.weight.detach().numpy().ravel())


def test_numbers_inside_that_are_not_finite_are_told_as_well() -> None:
    assert observe(lambda: {"a": float("nan")}).kind == "keys a, NaN at 0"


def respond(data, rng):  # type: ignore[no-untyped-def]
    """Randomised response in words, of ε = 1."""
    truth = bool(data.X[0, 0])
    kept = rng.random() < np.e / (1 + np.e)
    return "yes" if truth == kept else "no"


def test_answers_in_words_are_audited_tightly() -> None:
    """The bound of a correct program is below 0.7 or above 1 with probability below 1e-3 at 4000 trainings."""
    result = audit(respond, pair=PAIR, claim=CLAIM, trainings=4000, alpha=1e-3)
    assert 0.7 < result.epsilon_lower < 1.0


def forget_key(data, rng):  # type: ignore[no-untyped-def]
    """A noisy histogram that lists only values that are there."""
    return {str(value): float((value == data.X).sum() + rng.laplace()) for value in np.unique(data.X)}


def test_a_missing_key_is_evidence() -> None:
    # Fails for a correct program with probability < 1e-9: after one training of either side every guess is right.
    result = audit(forget_key, pair=PAIR, claim=CLAIM, trainings=400)
    assert result.violated
    assert any("keys 1.0" in note for note in result.provenance.notes)


def leak_one_key(data, rng):  # type: ignore[no-untyped-def]
    return {"count": len(data) + rng.laplace(), "total": data.X.sum() + rng.laplace() / 20}


@pytest.mark.slow
def test_the_cause_names_the_key() -> None:
    """Noise of a twentieth: the sides overlap in less than 1e-4 of the trainings."""
    found = refute(leak_one_key, claim=CLAIM, data=PAIR.base, bounds=(0, 1), trainings=600)
    assert found.violated
    assert found.findings[0].place == "total"
