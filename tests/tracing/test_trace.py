"""A trace: exact losses, the right line, sources that are followed, and what is not said where it cannot be."""

import cProfile
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from scipy import stats

from mlaudit import Claim, Dataset, Pair
from mlaudit.errors import InvalidInput
from mlaudit.testing.zoo import exhibits
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.run import trace

PAIR = Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0]))
CLAIM = Claim(1.0)
HERE = __file__
# Last bits, and noisy numbers that are only compared with each other, are not followed.
MISSED = {"floating_point_laplace", "single_precision_noise", "sparse_vector_chen", "sparse_vector_lee_clifton"}


def follow(learner: Callable[[Any, Generator], Any], claim: Claim = CLAIM, pair: Pair = PAIR) -> TraceResult:
    return trace(learner, pair=pair, claim=claim, rounds=3, prove=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in exhibits().items() if one.broken is not None])
def test_the_file_of_a_broken_exhibit_is_named_within_ten_fits(name: str) -> None:
    exhibit = exhibits()[name]
    assert exhibit.broken is not None
    found = trace(exhibit.broken, pair=exhibit.pair, claim=exhibit.claim, prove=False)
    assert name in MISSED or found.fits <= 10  # where nothing is suspected, more trainings look for a hint
    files = {fault.site.file for fault in found.faults}
    assert files == (set() if name in MISSED else {exhibit.broken.__code__.co_filename})


@pytest.mark.slow
@pytest.mark.parametrize("name", list(exhibits()))
def test_no_healthy_exhibit_is_suspected(name: str) -> None:
    exhibit = exhibits()[name]
    assert follow(exhibit.healthy, exhibit.claim, exhibit.pair).faults == ()


SOURCES: dict[str, tuple[Callable[[Any, Generator], Any], float]] = {
    "location": (lambda data, rng: rng.laplace(data.X.sum(), 2.0), 0.5),
    "added": (lambda data, rng: data.X.sum() + rng.laplace(0.0, 2.0), 0.5),
    "scaled": (lambda data, rng: data.X.sum() - 2.0 * rng.laplace(), 0.5),
    "vector": (lambda data, rng: data.X[:, 0] + rng.laplace(size=2) / 0.5, 0.5),
    "in place": (lambda data, rng: np.add(data.X[:, 0], rng.laplace(0, 2, 2), out=np.empty(2)), 0.5),
    "difference of exponentials": (lambda data, rng: data.X.sum() + (rng.exponential(2) - rng.exponential(2)), 0.5),
    "numpy's functions": (lambda data, rng: data.X.sum() + np.random.laplace(0.0, 2.0), 0.5),  # noqa: NPY002
    "random state": (lambda data, rng: np.random.RandomState(5).choice(2, p=[0.25, 0.75]), 0.0),
    "random": (lambda data, rng: data.X.sum() + (random.expovariate(1) - random.expovariate(1)), 1.0),
    "scipy": (lambda data, rng: data.X.sum() + stats.laplace.rvs(scale=4.0, random_state=rng), 0.25),
    "discrete": (lambda data, rng: data.X.sum() + stats.dlaplace.rvs(0.5, random_state=rng), 0.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_the_loss_of_each_source_is_exact(name: str) -> None:
    learner, loss = SOURCES[name]
    found = follow(learner)
    assert found.transcript == pytest.approx(loss)
    assert found.limit == pytest.approx(loss)
    assert all(call.site.file == HERE for call in found.calls)


def test_a_chosen_candidate_costs_the_largest_log_ratio() -> None:
    found = follow(lambda data, rng: rng.choice(2, p=[0.2, 0.8] if data.X.sum() else [0.8, 0.2]), Claim(1.0))
    assert found.transcript == pytest.approx(np.log(4))
    assert [fault.kind for fault in found.faults] == ["loss"]


def test_noise_that_is_used_twice_hides_nothing() -> None:
    def twice(data: Any, rng: Generator) -> list[float]:
        noise = rng.laplace(0.0, 100.0)
        return [data.X.sum() + noise, 0.0 + noise]

    assert follow(twice).transcript == np.inf


@pytest.mark.slow
def test_noise_that_was_lost_from_sight_is_told_and_suspects_nothing() -> None:
    found = follow(lambda data, rng: data.X.sum() + np.float32(rng.laplace()))
    assert found.faults == ()
    assert found.limit is None
    assert "not followed: laplace noise of test_trace.py" in found.notes[0]


@pytest.mark.slow
def test_noise_divided_by_its_own_norm_has_no_known_law() -> None:
    def direction(data: Any, rng: Generator) -> Any:
        noise = rng.normal(size=2)
        return data.X[:, 0] + noise / np.linalg.norm(noise)

    found = follow(direction)
    assert found.faults == ()
    assert found.limit is None


@pytest.mark.slow
def test_a_learner_that_fails_with_followed_arrays_only_is_told_so() -> None:
    def picky(data: Any, rng: Generator) -> float:
        noise = rng.laplace()
        if type(noise) is not float:
            raise TypeError("a float, please")
        return float(data.X.sum() + noise)

    found = follow(picky)
    assert found.faults == ()
    assert found.notes == ("the learner cannot be followed: it raised TypeError: a float, please",)


def test_the_patches_are_removed_also_after_an_error() -> None:
    before = np.random.default_rng, np.random.laplace, random.gauss, random.Random.gauss
    with pytest.raises(InvalidInput):
        trace(lambda data, rng: 0.0, pair=Pair(Dataset([0.0, 0.0]), Dataset([1.0, 1.0])), claim=CLAIM)
    follow(lambda data, rng: rng.laplace())
    assert before == (np.random.default_rng, np.random.laplace, random.gauss, random.Random.gauss)
    assert type(np.random.default_rng(0).laplace()) is float


@pytest.mark.slow
def test_a_profiler_goes_on_after_a_trace() -> None:
    profiler = cProfile.Profile()
    profiler.enable()
    try:
        found = follow(lambda data, rng: float(data.X.sum()))
        called_after_the_trace()
    finally:
        profiler.disable()
    assert found.faults
    assert called_after_the_trace.__name__ in {
        entry.code.co_name for entry in profiler.getstats() if not isinstance(entry.code, str)
    }


def called_after_the_trace() -> None:
    """A profiler that goes on has seen it."""


@pytest.mark.slow
def test_a_suspect_is_proved_by_trainings_and_a_result_is_read_back() -> None:
    # Fails for a correct program with probability < 1e-9: the output shows the row in every training.
    found = trace(lambda data, rng: data.X.sum(), pair=PAIR, claim=CLAIM, trainings=300)
    assert found.violated
    assert found.faults[0].kind == "bypass"
    assert found.epsilon_lower > 1.0
    again = TraceResult.from_json(found.to_json())
    assert str(again) == str(found)
    assert again.summary() == found.summary()
