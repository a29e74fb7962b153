"""The kit of samplers tells every way in which a fast sampler can differ from the mechanism's own trainings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told
from numpy.random import SeedSequence, default_rng

from mlaudit.testing.sampler import check_sampler
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

RNG = default_rng(0)
PAIR = Pair(Dataset([[0.0, 0.0], [0.5, 0.5]]), Dataset([[1.0, 1.0], [0.5, 0.5]]))


@dataclass(frozen=True)
class Library:
    """Column sums with Laplace noise, one training at a time."""

    claim: Claim = Claim(2.0)  # noqa: RUF009 - frozen

    def domain(self, data: Dataset) -> None:
        """Any."""

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        return np.asarray(data.X.sum(axis=0) + default_rng(seed).laplace(size=2))

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        return model


class Healthy(Library):
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return np.asarray(data.X.sum(axis=0) + default_rng(seed).laplace(size=(n, 2)))


class Narrow(Healthy):
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return super().sample(data, target, n, seed)[:, :1]


class WholeBatches(Healthy):
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return super().sample(data, target, -(-n // 5) * 5, seed)


class OwnNoise(Healthy):
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return np.asarray(data.X.sum(axis=0) + RNG.laplace(size=(n, 2)))


class Unseeded(Healthy):
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return super().sample(data, target, n, SeedSequence(0))


class LittleNoise(Healthy):
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return np.asarray(data.X.sum(axis=0) + 0.2 * default_rng(seed).laplace(size=(n, 2)))


class OneDataset(Healthy):
    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return np.asarray(0.5 + default_rng(seed).laplace(size=(n, 2)))


class Correlated(Healthy):
    """Every number has the right law, and the two are equal."""

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return np.asarray(data.X.sum(axis=0) + default_rng(seed).laplace(size=(n, 1)))


@dataclass(frozen=True)
class Mirror(Library):
    """The library's own trainings, without the library."""

    kind: str = "mirror"

    @property
    def seeded_as(self) -> Any:
        return Library()

    def source_digest(self) -> str:
        return "1"

    def prepare(self, data: Dataset, target: FloatArray | None) -> Callable[..., FloatArray]:
        def draw(seed: int, spawn_key: tuple[int, ...], indices: IntArray) -> FloatArray:
            seeds = [SeedSequence(seed, spawn_key=(*spawn_key, int(index))) for index in indices]
            return np.array([data.X.sum(axis=0) + self.noise(one) for one in seeds])

        return draw

    def noise(self, seed: SeedSequence) -> FloatArray:
        return np.asarray(default_rng(seed).laplace(size=2))


@dataclass(frozen=True)
class Batched(Mirror):
    kind: str = "batched"

    def prepare(self, data: Dataset, target: FloatArray | None) -> Callable[..., FloatArray]:
        return lambda n, seed: np.asarray(data.X.sum(axis=0) + default_rng(seed).laplace(size=(n, 2)))


class OtherStream(Mirror):
    def noise(self, seed: SeedSequence) -> FloatArray:
        return np.asarray(default_rng(seed).laplace(size=3)[1:])


class SeededByNothing(Mirror):
    @property
    def seeded_as(self) -> Any:
        return None


class Restless(Mirror):
    def source_digest(self) -> str:
        return str(RNG.random())


HOW, ROWS = "it says how it draws", "a batch has a row for each training"
SAME, OTHER = "the same seed gives the same rows", "another seed gives other rows"
TRAINING, LAW = "a row is the training of its seed", "rows have the distribution of the mechanism's own trainings"
FAULTS = [
    Fault(Library(), HOW, "with a method sample, got Library"),
    Fault(Mirror(kind="mirrored"), HOW, "its kind is 'mirrored'"),
    Fault(SeededByNothing(), HOW, "got NoneType"),
    Fault(Restless(), HOW, "its source digest changes"),
    Fault(Narrow(), ROWS, "1 trainings of 2 numbers came as (1, 1)"),
    Fault(WholeBatches(), ROWS, "came as (5, 2)"),
    Fault(OwnNoise(), SAME, "two batches with one seed differ"),
    Fault(Unseeded(), OTHER, "two seeds gave the same 20 rows"),
    Fault(OtherStream(), TRAINING, "follow the library's own random stream"),
    Fault(LittleNoise(), LAW, "on D they differ"),
    Fault(OneDataset(), LAW, "on D′ they differ, above all in number"),
    Fault(Correlated(), LAW, "on D they differ"),
    Fault(Narrow(), LAW, "on D rows have the shape (300, 1)"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_sampler_is_told(fault: Fault) -> None:
    # Fails for a correct program with probability < 1e-9: the seeds of the trainings are fixed.
    assert_told(fault, check_sampler(fault.part, PAIR))


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [Healthy(), Mirror(), Batched()], ids=lambda part: type(part).__name__)
def test_a_fault_is_not_invented(mechanism: Any) -> None:
    # Fails for a correct program with probability < 1e-6: for unusual samples, whose seeds are fixed.
    assert_healthy(check_sampler(mechanism, PAIR))


@pytest.mark.slow
def test_every_check_can_fail() -> None:
    assert_every_check_can_fail(FAULTS, [*check_sampler(Healthy(), PAIR), *check_sampler(Mirror(), PAIR)])
