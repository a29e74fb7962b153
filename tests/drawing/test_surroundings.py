"""The global generators are seeded for each training, and no two of them with the same draws."""

import random
from typing import Any

import numpy as np
import pytest

from mlaudit.adapters.helpers import mlaudit_serve
from mlaudit.adapters.opacus import _seed_generators
from mlaudit.drawing.surroundings import restore_surroundings

SEEDS = [1, 2, 3, 4]
WHOLE = sum(word << (32 * i) for i, word in enumerate(SEEDS))


def first_draws(torch: Any = None) -> list[float]:
    """In 24 bits, as torch draws them."""
    drawn = [random.getrandbits(32), int(np.random.randint(2**32, dtype=np.uint32))]  # noqa: NPY002 - the global one
    if torch is not None:
        drawn.append(int(torch.rand(1).item() * 2**24))
    return [number % 2**24 for number in drawn]


def test_python_and_numpy_draw_different_numbers() -> None:
    """A learner that draws from both must not get the same coins twice."""
    with restore_surroundings(SEEDS):
        first = first_draws()
    with restore_surroundings(SEEDS):
        assert first_draws() == first
    assert len(set(first)) == 2


def test_python_and_numpy_draw_different_numbers_in_a_helper() -> None:
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - the global one
    try:
        mlaudit_serve._seed_generators(WHOLE)
        assert len(set(first_draws())) == 2
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002 - the global one


@pytest.mark.extra("dpsgd")
@pytest.mark.parametrize("seed", [5, WHOLE % 2**63])
def test_torch_numpy_and_python_draw_different_numbers_for_opacus(seed: int) -> None:
    torch = pytest.importorskip("torch")
    with _seed_generators(torch, seed):
        assert len(set(first_draws(torch))) == 3
