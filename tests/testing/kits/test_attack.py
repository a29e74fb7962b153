"""The kit of attacks tells every way in which an attack can break its contract."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told
from numpy.random import Generator, default_rng

from mlaudit.testing.attack import check_attack
from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import replace_rows
from mlaudit.types.pair import Pair

RNG = default_rng(0)


def healthy(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
    at = rng.permutation(len(data))[:rows]
    return Pair(data, replace_rows(data, at, 0.9 * data.X[at]))


def one_row_more(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
    return healthy(mechanism, data, rows + 1, rng)


def other_base(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
    return healthy(mechanism, data.with_rows(data.X[1:], None if data.y is None else data.y[1:]), rows, rng)


def outside(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
    X = data.X.copy()
    X[:rows] = 1e6
    return Pair(Dataset(data.X, data.y), Dataset(X, data.y))


def own_dice(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
    return healthy(mechanism, data, rows, RNG)


def rows_alone(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Any:
    return np.asarray(data.X[:rows])


class Misspelt:
    def __call__(self, mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
        return healthy(mechanism, data, rows, rng)

    def with_changes(self, change: str) -> "Misspelt":
        return self


COUNT, BASE = "it changes exactly the rows it was asked for", "D is one side of the pair, untouched"
LEGAL, SAME = "D′ lies in the domain, with legal labels", "the same seed makes the same pair"
FAULTS = [
    Fault(Misspelt(), "every optional method it has is known", "'with_changes'; did you mean with_change?"),
    Fault(one_row_more, COUNT, "asked for 1 rows, 2 changed"),
    Fault(rows_alone, COUNT, "raised AttributeError"),
    Fault(other_base, BASE, "on neither side"),
    Fault(outside, LEGAL, "outside Box"),
    Fault(own_dice, SAME, "two calls with one seed made different pairs"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_attack_is_told(fault: Fault) -> None:
    assert_told(fault, check_attack(fault.part))


def test_every_check_can_fail() -> None:
    attack: Callable[..., Pair] = healthy
    checks = check_attack(attack)
    assert_healthy(checks)
    assert_every_check_can_fail(FAULTS, checks)
