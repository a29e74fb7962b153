"""The kit of scorers tells every way in which a scorer can break its contract."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told

from mlaudit.testing.scorer import check_scorer
from mlaudit.types.arrays import FloatArray


@dataclass(frozen=True)
class Healthy:
    weight: float = 0.5

    def __call__(self, z: FloatArray) -> FloatArray:
        return np.asarray(np.clip(self.weight * z[:, 0], -9.0, 9.0))


class OneForAll(Healthy):
    def __call__(self, z: FloatArray) -> FloatArray:
        return np.zeros(1)


class Unlimited(Healthy):
    def __call__(self, z: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(1e10 * z[:, 0])


class Ranked(Healthy):
    """By the other rows that are scored."""

    def __call__(self, z: FloatArray) -> FloatArray:
        return np.asarray(z[:, 0] > np.median(z[:, 0]), dtype=float)


class Writing(Healthy):
    def __call__(self, z: FloatArray) -> FloatArray:
        z[z < 0] = 0.0
        return super().__call__(z)


@dataclass
class Thawed:
    weight: float = 0.5

    def __call__(self, z: FloatArray) -> FloatArray:
        return np.asarray(np.clip(self.weight * z[:, 0], -9.0, 9.0))


class Plain:
    def __call__(self, z: FloatArray) -> FloatArray:
        return np.zeros(len(z))


@dataclass(frozen=True)
class HoldsAnObject(Healthy):
    model: object = field(default_factory=object)


@dataclass(frozen=True)
class Hidden(Healthy):
    """Keeps a number outside its fields."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra", getattr(self, "extra", 0.0))

    def __call__(self, z: FloatArray) -> FloatArray:
        return super().__call__(z) + self.extra  # type: ignore[attr-defined, no-any-return]


class TwoColumns(Healthy):
    def __call__(self, z: FloatArray) -> FloatArray:
        return np.asarray(np.clip(z @ np.array([1.0, -1.0]), -9.0, 9.0))


class Wide(Healthy):
    def __call__(self, z: FloatArray) -> FloatArray:
        return np.zeros(len(z)) + z[:, 100]


HIDDEN = Hidden()
object.__setattr__(HIDDEN, "extra", 1.0)
FINITE, ALONE = "every row has one finite score", "a score depends on its own row alone"
UNTOUCHED, FROZEN, KEPT = "it leaves the rows as they are", "it is a frozen dataclass", "a result file keeps it"
FAULTS = [
    Fault(OneForAll(), FINITE, "48 rows gave scores of shape (1,)"),
    Fault(Unlimited(), FINITE, "scored -inf"),
    Fault(Wide(), FINITE, "got none that it takes"),
    Fault(Ranked(), ALONE, "score differently when others are scored beside them"),
    Fault(Writing(), UNTOUCHED, "were changed in place"),
    Fault(Thawed(), FROZEN, "Thawed is a dataclass that can change"),
    Fault(Plain(), FROZEN, "it is a Plain"),
    Fault(HoldsAnObject(), KEPT, "got object"),
    Fault(HIDDEN, KEPT, "scores differently"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_scorer_is_told(fault: Fault) -> None:
    assert_told(fault, check_scorer(fault.part))


def test_every_check_can_fail() -> None:
    assert_every_check_can_fail(FAULTS, check_scorer(Healthy()))


@pytest.mark.parametrize("scorer", [Healthy(), TwoColumns()], ids=lambda part: type(part).__name__)
def test_a_fault_is_not_invented(scorer: Healthy) -> None:
    """The number of columns is found, if nobody says it."""
    assert_healthy(check_scorer(scorer))


def test_the_number_of_columns_may_be_told() -> None:
    assert_healthy(check_scorer(TwoColumns(), 2))
    with pytest.raises(AssertionError):
        assert_healthy(check_scorer(TwoColumns(), 3))
