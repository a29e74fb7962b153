"""A search that fails costs its neighbours, and the scan says so."""

import numpy as np
import pytest

from mlaudit import Claim, Dataset
from mlaudit.errors import InvalidInput
from mlaudit.scanning import search
from mlaudit.scanning.run import scan

ROWS = Dataset([0.0, 1.0, 0.5, 0.2])


def noisy(data: Dataset, rng: np.random.Generator) -> float:
    return float(data.X.sum() + rng.laplace())


def test_a_search_that_fails_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise InvalidInput("a summary must have\nnumbers, got none")

    monkeypatch.setattr(search, "search_neighbours", fails)
    found = scan(noisy, ROWS, claim=Claim(1.0), pilot=10, trainings=100)
    assert len(found.notes) == 2
    for note, relation in zip(found.notes, ("replace-one", "add-remove"), strict=True):
        assert note == (
            f"no neighbour was searched for under {relation}, since the search failed: "
            "a summary must have numbers, got none"
        )
    assert str(found).count("\n  note        no neighbour was searched for under ") == 2
    assert found.summary()["notes"] == list(found.notes)


def test_other_errors_of_a_search_are_no_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(search, "search_neighbours", fails)
    with pytest.raises(ZeroDivisionError):
        scan(noisy, ROWS, claim=Claim(1.0), pilot=10, trainings=100)


@pytest.mark.slow
def test_a_search_that_succeeds_is_no_note() -> None:
    found = scan(noisy, ROWS, claim=Claim(1.0), pilot=10, trainings=100)
    assert found.notes == ()
    assert "  note  " not in str(found)
