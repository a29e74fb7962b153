"""Every shipped part keeps the contract of its kind: a new file needs no new test.

For attacks, with seeds of all kinds, see tests/attacks/test_attacks.py.
"""

import inspect
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import assert_healthy
from numpy.random import default_rng

from mlaudit.attacks._surrogates import HasSurrogate
from mlaudit.canaries.draws import StepDraw
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.sampler import Sampler
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.naming.plugins import load_shipped, shipped
from mlaudit.protocols import HasRecipe, Mechanism, Samples
from mlaudit.samplers.sampled import SampledMechanism
from mlaudit.testing.attack import random_data
from mlaudit.testing.classifier import check_classifier
from mlaudit.testing.draw import check_draw
from mlaudit.testing.engine import check_engine
from mlaudit.testing.interval import check_interval
from mlaudit.testing.mechanism import check_mechanism
from mlaudit.testing.pairs import make_pair
from mlaudit.testing.procedure import check_procedure
from mlaudit.testing.recipe import check_recipe
from mlaudit.testing.sampler import check_sampler
from mlaudit.testing.store import check_store
from mlaudit.testing.surrogate import check_surrogate
from mlaudit.testing.trainer import check_trainer
from mlaudit.trainers.logistic_sgd import LogisticSgd
from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import remove_rows, replace_rows
from mlaudit.types.pair import Pair

SLOW = {  # over a second
    "classifiers": {"boosting"},
    "engines": {"loky", "dask", "ray"},
    "intervals": {"exact"},
    "mechanisms": set(shipped("mechanisms")) - {"geometric", "noisy_max", "randomised_response"},
    "procedures": {"gdp_accuracy", "progressive", "sequential", "two_phase"},
    "samplers": set(shipped("samplers")),
    "trainers": set(shipped("trainers")),
}
EXTRAS = {"dask": "dask", "ray": "ray", "dp_sgd": "dpsgd"}


def every(kind: str, *, but: tuple[str, ...] = ()) -> list[Any]:
    """The shipped names of a kind, marked by what they take."""
    return [pytest.param(name, marks=list(marks_of(kind, name))) for name in shipped(kind) if name not in but]


def marks_of(kind: str, name: str) -> Iterator[Any]:
    if name in SLOW.get(kind, ()):
        yield pytest.mark.slow
    if name in EXTRAS:
        yield pytest.mark.extra(EXTRAS[name])


@pytest.mark.parametrize("name", every("intervals"))
def test_every_interval_keeps_its_contract(name: str) -> None:
    # One exact bound takes 15 milliseconds. Of 8 trials, too, an exact bound for 1.5 α errs in 6.8 %, which is told.
    trials = 8 if name == "exact" else 60
    assert_healthy(check_interval(load_shipped("intervals", name)(), trials=trials))


@pytest.mark.parametrize("name", every("classifiers"))
def test_every_classifier_keeps_its_contract(name: str) -> None:
    assert_healthy(check_classifier(load_shipped("classifiers", name)()))


@pytest.mark.parametrize("name", every("procedures"))
def test_every_procedure_keeps_its_contract(name: str) -> None:
    # Fails for a correct program with probability < 1e-6: by false alarms, whose seeds are fixed.
    assert_healthy(check_procedure(load_shipped("procedures", name)()))


@pytest.mark.parametrize("name", every("engines"))
def test_every_engine_keeps_its_contract(name: str) -> None:
    kind = load_shipped("engines", name)
    engine = kind(jobs=2) if "jobs" in inspect.signature(kind).parameters else kind()
    with engine if hasattr(engine, "__enter__") else nullcontext(engine):
        assert_healthy(check_engine(engine))


@pytest.mark.parametrize("engine", [LokyEngine(1), Isolated(LokyEngine(1))], ids=str)
def test_an_engine_of_one_job_keeps_its_contract(engine: Any) -> None:
    assert_healthy(check_engine(engine))


@pytest.mark.parametrize("name", every("stores"))
def test_every_store_keeps_its_contract(name: str, tmp_path: Path) -> None:
    kind = load_shipped("stores", name)
    in_a_file = "path" in inspect.signature(kind).parameters
    assert_healthy(check_store(kind(tmp_path / "store") if in_a_file else kind()))


@pytest.mark.parametrize("name", every("trainers"))
def test_every_trainer_keeps_its_contract(name: str) -> None:
    # Fails for a correct program with probability < 1e-8: for scores that point the wrong way by chance.
    assert_healthy(check_trainer(load_shipped("trainers", name)(steps=4), canaries=40))


def mechanism_and_pair(name: str) -> tuple[Mechanism, Pair]:
    """A shipped mechanism with something to train on: random rows, or small images for networks."""
    kind = load_shipped("mechanisms", name)
    if name == "random_forest":
        small = kind(trees=2, depth=3)  # a fit of 15 trees of depth 10 takes half a second
        return small, make_pair(small)
    if name == "linear_regression":
        data = make_pair(kind()).base
        two = Dataset(data.X[:, :2], data.y)  # a fit to four columns takes twice as long
        two = two.within(kind().domain(two))
        return kind(), Pair(two, replace_rows(two, [0], two.X[1:].max(axis=0)[None, :]))
    if name != "dp_sgd":
        return kind(), make_pair(kind())
    from mlaudit.dp_sgd.network import Network

    y = np.arange(40) % 2
    data = Dataset(np.clip(60 * default_rng(0).random((40, 36)) + 120 * y[:, None], 0, 255), y)
    learner = kind(
        epochs=2.0, rate=0.5, rows=40, sigma=1.0, clip=1.0, pixels=(0.0, 1.0), network=Network((1, 6, 6), (2,))
    )
    return learner, Pair(data, remove_rows(data, [0]), data.X[0])  # it is observed by its prediction there


@pytest.mark.slow
@pytest.mark.parametrize("name", every("mechanisms"))
def test_every_mechanism_keeps_its_contract(name: str) -> None:
    mechanism, pair = mechanism_and_pair(name)
    # Fails for a correct program with probability < 1e-6: for unusual samples, whose seeds are fixed.
    assert_healthy(check_mechanism(mechanism, pair))
    if isinstance(mechanism, Samples):
        assert_healthy(check_sampler(mechanism, pair))
    if isinstance(mechanism, HasRecipe):
        assert_healthy(check_recipe(mechanism, pair, trainings=60))
    if isinstance(mechanism, HasSurrogate):
        data = random_data(default_rng(0))
        surrogate = mechanism.surrogate(data.within(mechanism.domain(data)))
        assert_healthy(check_surrogate(surrogate, data.X.shape[1]))


@pytest.mark.parametrize("name", every("samplers", but=("sampled",)))
def test_every_sampler_keeps_its_contract(name: str) -> None:
    of, _, kind = name.rpartition("_")
    mechanism, pair = mechanism_and_pair(of)
    # Fails for a correct program with probability < 1e-6: for unusual samples, whose seeds are fixed.
    assert_healthy(check_sampler(SampledMechanism(mechanism, kind), pair, trainings=150))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("draw", "at_once"),
    [
        (Sampler(Laplace(), Laplace().tight_pair(1), 0, DrawingLoop(InProcess()), 200), 20),
        (StepDraw(LogisticSgd(steps=10, parameters=20, noise=1.0), 0, 20), 20),
    ],
    ids=["trainings", "steps"],
)
def test_every_draw_keeps_its_contract(draw: Any, at_once: int) -> None:
    # Fails for a correct program with probability < 1e-8: for unusual coins, whose seeds are fixed.
    assert_healthy(check_draw(draw, at_once=at_once))
