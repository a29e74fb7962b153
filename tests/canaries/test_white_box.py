"""white_box(): a step's noise from fresh coins, composed; never above the truth in more than α of audits."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.stats import binom

from mlaudit import Claim, Relation, white_box
from mlaudit.canaries import run as running
from mlaudit.canaries.draws import StepDraw
from mlaudit.canaries.run import bound_step_mu
from mlaudit.cli import main
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

ALPHA, AUDITS, SURE = 0.05, 100, 1e-6
MOST = int(binom.isf(1e-6, AUDITS, ALPHA))
NOISE_OF_4 = 1.3862  # at a sampling rate of 0.1, 100 steps and δ = 1e-5; see test_subsampled_gaussian


@dataclass(frozen=True)
class Walk:
    """Noise of one deviation on each step, and what all steps before it gave: as weights carry it on."""

    mu: float = 1.0
    steps: int = 50
    rate: float = 0.1

    @property
    def claim(self) -> Claim:
        return Claim(8.0, 1e-5, Relation.ADD_REMOVE)

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        noisy = self.mu * inserted + default_rng(seed).standard_normal(len(inserted))
        return np.column_stack([noisy, np.cumsum(noisy) - noisy])


def false_alarms() -> int:
    return sum(bound_step_mu(Walk(), 2, ALPHA, seed)[1] > 1.0 for seed in range(AUDITS))


@pytest.mark.slow
def test_the_bound_on_a_step_is_too_high_at_most_alpha_of_the_time() -> None:
    # Fails for a correct program with probability < 1e-6: the tail of a binomial.
    assert false_alarms() <= MOST


@dataclass
class OneCoin(StepDraw):
    """The mistake: a coin for each training instead of each step."""

    def coins(self, n: int) -> IntArray:
        return np.repeat(super().coins(n)[:: self.trainer.steps], self.trainer.steps)


@pytest.mark.slow
def test_this_test_catches_a_coin_that_steps_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "StepDraw", OneCoin)
    # Fails for a correct program with probability < 1e-9: half of 100 are expected, and 18 are too few.
    assert false_alarms() > MOST


def test_no_noise_bounds_no_more_than_the_counts_allow() -> None:
    counts, mu, top = bound_step_mu(Walk(mu=1e6), 4, ALPHA, 0)
    # Fails for a correct program with probability < 2e-6: α of the second; chance has no part in the first.
    assert counts.correct[0] >= 0.95 * counts.guesses[0], "all but the first, before anything was learned"
    assert 3 < mu <= top < 6
    counts, mu, _ = bound_step_mu(Walk(mu=0.0), 4, SURE, 0)
    assert mu == 0.0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers() -> None:
    assert bound_step_mu(Walk(), 4, ALPHA, 5) == bound_step_mu(Walk(), 4, ALPHA, 5)
    # Fails for a correct program with probability < 1e-9: ten numbers of right guesses, and all of them equal.
    assert len({bound_step_mu(Walk(), 4, ALPHA, seed)[0].correct for seed in range(10)}) > 1


def test_labels_are_drawn_by_whole_trainings() -> None:
    draw = StepDraw(Walk(), 0, 2)
    assert draw.remaining == 100
    with pytest.raises(InvalidInput, match="by whole trainings of 50, 100 left, got 30"):
        draw(draw.coins(30))


class Strange(Walk):
    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        return np.full(3, np.nan)


@pytest.mark.parametrize(
    ("trainer", "options", "sentence"),
    [
        (Walk(), {"trainings": 0}, "trainings must be a whole number of at least 1, got 0"),
        (Walk(steps=5), {"trainings": 3}, "there must be 40 steps or more in all, got 15; train more"),
        (Walk(rate=1.5), {}, "rate must be a number in"),
        (Walk(), {"claim": Claim(1.0, relation=Relation.ADD_REMOVE)}, "with delta above 0, got 0; give delta"),
        (Walk(), {"claim": Claim(1.0, 1e-5)}, "the claim must be add-remove, got replace-one"),
        (Strange(), {"trainings": 4}, r"finite numbers for each of 50 steps, got shape \(3, 1\)"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_bad_input(trainer: Walk, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        white_box(trainer, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_logistic_sgd_is_tight_and_a_violation_is_called() -> None:
    pytest.importorskip("dp_accounting")
    from mlaudit.trainers.logistic_sgd import LogisticSgd

    honest = LogisticSgd(4.0, parameters=10, noise=NOISE_OF_4)
    result = white_box(honest, trainings=200, alpha=SURE)
    # Fails for a correct program with probability < 2e-6: α; bounds of 3.3 ± 0.13, 10 ± 0.8 with half the noise.
    assert 0.6 * 4.0 < result.bound.epsilon <= 4.0
    assert not result.violated
    assert "implied under the subsampled Gaussian at the stated sampling rate of 0.1" in str(result)
    assert white_box(replace(honest, noise=NOISE_OF_4 / 2), trainings=40, alpha=SURE).violated


def test_records_are_noise_that_hides_and_never_adds() -> None:
    pytest.importorskip("dp_accounting")
    from mlaudit.datasets._load import load_data
    from mlaudit.trainers.logistic_sgd import LogisticSgd
    from mlaudit.types.preparation import Preparation

    data = load_data("iris", None, Preparation(), [])
    trainer = LogisticSgd(8.0, data=data, steps=50, noise=1.0)
    _, mu, _ = bound_step_mu(trainer, 60, SURE, 0)
    # Fails for a correct program with probability < 1e-6: α; bounds of 0.67 ± 0.01.
    assert 0.3 < mu <= 1.0


@pytest.mark.slow
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("dp_accounting")
    words = ["white-box", "logistic_sgd", "--epsilon", "2", "--trainings", "20", "--param", "parameters=5"]
    # Fails for a correct program with probability < 1e-9: without noise no guess is wrong but the first few.
    assert main([*words, "--param", "noise=0", "--fail-on-violation"]) == 3
    assert "VIOLATED      logistic_sgd, claim ε = 2" in capsys.readouterr().out
