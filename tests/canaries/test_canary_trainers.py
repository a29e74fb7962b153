"""The trainers that ship: scores that find canaries, seeds that repeat, data that fits; shuffled batches."""

from dataclasses import replace
from functools import partial
from statistics import mean

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.stats import rankdata
from shuffled_batches import PAIR, ShuffledBatches

from mlaudit import Dataset, audit, one_run
from mlaudit.canaries.protocols import CanaryTrainer
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.procedures.sequential import Sequential
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.trainers._likelihood import directions, log_likelihood_ratios
from mlaudit.trainers.gradient_canaries import GradientCanaries
from mlaudit.trainers.logistic_sgd import LogisticSgd
from mlaudit.trainers.mislabelled_canaries import MislabelledCanaries
from mlaudit.types.arrays import BoolArray, FloatArray

HALF = default_rng(0).integers(0, 2, 200) == 1


def auc(scores: FloatArray, included: BoolArray) -> float:
    """How often one that is in has a higher score than one that is out."""
    ranks, into = rankdata(scores), int(included.sum())
    return float((ranks[included].sum() - into * (into + 1) / 2) / (into * (len(included) - into)))


@pytest.fixture(params=[GradientCanaries, MislabelledCanaries, LogisticSgd], ids=lambda kind: kind.__name__)
def trainer(request: pytest.FixtureRequest) -> CanaryTrainer:
    """With so little noise that nothing but a mistake hides a canary."""
    pytest.importorskip("dp_accounting")
    if request.param is LogisticSgd:
        return LogisticSgd(60.0, steps=8, rate=0.5)
    pytest.importorskip("numba")
    if request.param is MislabelledCanaries:  # which are harder to see: a network learns few of them by heart
        return MislabelledCanaries(1000.0, steps=40, rate=1.0)
    return GradientCanaries(60.0, steps=8, rate=0.5)


@pytest.mark.slow
def test_canaries_that_are_in_have_higher_scores(trainer: CanaryTrainer) -> None:
    mislabelled = isinstance(trainer, MislabelledCanaries)
    seeds, least = (range(16), 0.55) if mislabelled else (range(1), 0.9)
    # Fails for a correct program with probability < 1e-9: 0.62 ± 0.01 for a mean of 16, 0.996 ± 0.005 for the others.
    assert mean(auc(trainer.scores(HALF, SeedSequence(seed)), HALF) for seed in seeds) > least
    scores = trainer.scores(HALF, SeedSequence(1))
    again = trainer.scores(HALF, SeedSequence(1))
    assert np.array_equal(scores, again), "same seed, same numbers"
    assert not np.array_equal(scores, trainer.scores(HALF, SeedSequence(2)))


def test_likelihood_ratios_beat_sums_where_noise_is_small() -> None:
    # Fails for a correct program with probability < 1e-9: 0.08 ± 0.006 for a mean of ten.
    assert mean(map(ahead_of_sums, range(10))) > 0.02


def ahead_of_sums(seed: int) -> float:
    rng, rate, noise = default_rng(seed), 0.1, 0.7
    units = directions(400, 300, rng)
    included = rng.integers(0, 2, 400) == 1
    joins = (rng.random((60, 400)) < rate) & included
    seen = (joins @ units + noise * rng.standard_normal((60, 300))) @ units.T
    best = auc(log_likelihood_ratios(seen, units, rate, noise), included)
    return best - auc(seen.sum(axis=0), included)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["compiled", "opacus"])
def test_observed_steps_show_where_the_canary_is(by: str) -> None:
    pytest.importorskip("dp_accounting")
    pytest.importorskip("numba" if by == "compiled" else "opacus")
    inserted = np.arange(8) % 2 == 1
    trainer = GradientCanaries(400.0, steps=8, rate=0.5, by=by)
    seen = trainer.observe_steps(inserted, SeedSequence(0))
    assert seen.shape == (8,)
    # Fails for a correct program with probability < 1e-9: 0.98 ± 0.01.
    assert np.corrcoef(seen, inserted)[0, 1] > 0.8


IMAGES = Dataset(np.zeros((20, 784)), np.arange(20) % 2)


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (partial(GradientCanaries, network="mnist"), UnknownName, "did you mean 'fashion_mnist'"),
        (partial(GradientCanaries, by="torch"), UnknownName, "no trainer of networks is called 'torch'"),
        (partial(GradientCanaries, steps=0), InvalidInput, "steps must be a whole number of at least 1, got 0"),
        (partial(GradientCanaries, clip=0.0), InvalidInput, "clip must be a number in"),
        (partial(LogisticSgd, noise=-1.0), InvalidInput, "noise must be a number in"),
        (partial(LogisticSgd, delta=0.0), InvalidInput, "delta must be a number in"),
        (GradientCanaries(network="cifar10", data=IMAGES).rows, InvalidInput, "needs labelled images of 3072 pixels"),
        (
            partial(MislabelledCanaries(data=IMAGES).scores, HALF, SeedSequence(0)),
            InvalidInput,
            "there must be a row for each canary, got 20 for 200; give fewer canaries",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_input(make: partial[object], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        make()


def test_records_of_the_data_are_trained_on() -> None:
    pytest.importorskip("numba")
    trainer = replace(MislabelledCanaries(60.0), data=IMAGES)
    images, classes = trainer.rows()
    assert images.shape == (20, 784)
    assert classes.tolist() == [0, 1] * 10


@pytest.mark.slow
def test_shuffled_batches_are_accused_only_where_the_numbers_say_so() -> None:
    """Accounted as Poisson. A canary is safe at a usual δ, not where δ is nearly that of being sampled at all."""
    pytest.importorskip("dp_accounting")
    usual, rare = ShuffledBatches(10, 1, 1.0), ShuffledBatches(10, 1, 0.2)
    # Fails for a correct program with probability < 2e-6: α; δ of 2e-4 and 0.95 ± 0.01; bounds of 2.8 ± 0.4 on 0.36.
    assert usual.delta(usual.claim(1e-3).epsilon, default_rng(0)) < 1e-3
    kept = audit(usual, pair=PAIR, claim=usual.claim(1e-5), procedure=Sequential(), trainings=200, alpha=1e-6)
    assert not kept.violated
    claim = rare.claim(0.63)
    assert rare.delta(claim.epsilon, default_rng(0), 2000) > 0.8
    assert audit(rare, pair=PAIR, claim=claim, procedure=TwoPhase(), trainings=2400).verdict == "violated"


@pytest.mark.slow
def test_one_run_of_a_network() -> None:
    pytest.importorskip("dp_accounting")
    pytest.importorskip("numba")
    result = one_run(GradientCanaries(8.0))
    # Fails for a correct program with probability < 1e-9: bounds of 1.9 ± 0.2.
    assert 0.3 < result.bound.epsilon < 8.0
