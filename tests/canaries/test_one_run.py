"""one_run(): any trainer of canaries, guesses whose number no score has chosen, and false alarms at most α."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.special import expit
from scipy.stats import binom

from mlaudit import AuditResult, Claim, Relation, audit, one_run
from mlaudit.canaries.draws import draw_canaries
from mlaudit.cli import main
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.procedures.one_run import OneRun, count_right_guesses
from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.finding import GuessCounts

ALPHA, AUDITS = 0.05, 1000
MOST = int(binom.isf(1e-6, AUDITS, ALPHA))


@dataclass(frozen=True)
class Answers:
    """Each canary by randomised response of exactly ε."""

    epsilon: float = 1.0
    relation: Relation = Relation.ADD_REMOVE

    @property
    def claim(self) -> Claim:
        return Claim(self.epsilon, relation=self.relation)

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        told = default_rng(seed).random(len(included)) < expit(self.epsilon)
        return np.where(told, included, ~included).astype(float)


def false_alarms(procedures: list[OneRun]) -> int:
    """Audits of a trainer at exactly its claim whose bound is above it, by the best of these procedures."""
    wrong = 0
    for seed in range(AUDITS):
        draws, claim = draw_canaries(Answers(), 200, seed), Answers().claim
        found = [procedure.count(draws, draws.z[:, 0], claim, 1, ALPHA) for procedure in procedures]
        wrong += max(finding.bound.epsilon for finding in found) > claim.epsilon
    return wrong


@pytest.mark.slow
def test_a_trainer_at_exactly_its_claim_is_accused_at_most_alpha_of_the_time() -> None:
    # Fails for a correct program with probability < 1e-6: the tail of a binomial.
    assert false_alarms([OneRun()]) <= MOST


@pytest.mark.slow
def test_this_test_catches_a_number_of_guesses_chosen_afterwards() -> None:
    shares = [(0.1, 0.1), (0.05, 0.0), (0.0, 0.05), (0.1, 0.0), (0.0, 0.1), (0.3, 0.0), (0.0, 0.3), (0.4, 0.4)]
    # Fails for a correct program with probability < 1e-9: 19 % of 1000 are expected, and 8.6 % are too few.
    assert false_alarms([OneRun(*share) for share in shares]) > MOST


def test_a_broken_trainer_is_accused() -> None:
    result = one_run(Answers(4.0), claim=Claim(1.0, relation=Relation.ADD_REMOVE))
    # Fails for a correct program with probability < 1e-9: 98 % of 200 guesses are right, and 81 % are enough.
    assert result.violated
    assert "with 95 % confidence. Not repeated" in str(result)
    assert result.summary()["verdict"] == "violated"
    assert result.counts.canaries == 1000


def test_half_are_in_and_the_training_does_not_get_the_coins() -> None:
    class Sees:
        claim = Claim(1.0, relation=Relation.ADD_REMOVE)

        def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
            return default_rng(seed).integers(0, 2, len(included)).astype(float)

    draws = draw_canaries(Sees(), 2000, 0)
    # Fails for a correct program with probability < 1e-9: six and more deviations of 2000 fair coins.
    assert abs(draws.labels.mean() - 0.5) < 0.08
    assert abs(np.corrcoef(draws.labels, draws.z[:, 0])[0, 1]) < 0.15


def test_the_same_seed_gives_the_same_numbers() -> None:
    assert one_run(Answers(), seed=3).counts == one_run(Answers(), seed=3).counts
    # Fails for a correct program with probability < 1e-9: ten numbers of right guesses, and all of them equal.
    assert len({one_run(Answers(), seed=seed).counts.correct for seed in range(10)}) > 1


def test_ties_do_not_look_at_labels() -> None:
    labels = default_rng(0).integers(0, 2, 1000)
    assert count_right_guesses(np.zeros(1000), labels, 100, 100) == labels[-100:].sum() + (1 - labels[:100]).sum()


def test_the_number_of_guesses_is_the_procedures() -> None:
    assert one_run(Answers(), canaries=100, procedure=OneRun(0.25, 0.0)).counts.guesses == (25,)
    assert one_run(Answers(), canaries=11, procedure=OneRun(0.5, 0.5)).counts.guesses == (11,)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"canaries": 5}, "canaries must be a whole number of at least 10, got 5; more canaries show more"),
        ({"alpha": 2.0}, r"alpha must be a number in \(0, 1\), got 2.0"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"claim": Claim(1.0)}, "the claim must be add-remove, got replace-one; state the ε of add-remove"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_bad_input(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        one_run(Answers(), **options)  # type: ignore[arg-type]


def test_no_trainer_and_no_scores() -> None:
    class Short:
        claim = Claim(1.0, relation=Relation.ADD_REMOVE)

        def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
            return np.zeros(3)

    with pytest.raises(InvalidInput, match=r"must have a claim and scores\(included, seed\), got Laplace"):
        one_run(Laplace(1.0))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"one score for each of 1000 canaries and no NaN, got shape \(3,\)"):
        one_run(Short())
    for shares, wrong in (((0.9, 0.2), "not exceed 1"), ((0.0, 0.0), "not both be 0")):
        with pytest.raises(InvalidInput, match=f"share_in and share_out must {wrong} together"):
            OneRun(*shares)


def test_as_a_procedure_it_learns_to_score_and_its_result_can_be_saved() -> None:
    result = audit(Laplace(4.0), rows=1, procedure=OneRun(), trainings=2000, alpha=1e-6)
    # Fails for a correct program with probability < 2e-6: α; bounds of 2.5 ± 0.2.
    assert 0.5 < result.epsilon_lower <= 4.0
    counts = result.finding.evidence
    assert isinstance(counts, GuessCounts)
    assert counts.canaries == 1800
    again = AuditResult.from_json(result.to_json())
    assert again.finding.evidence == counts
    assert again.epsilon_lower == result.epsilon_lower


TRAINER = """
from dataclasses import dataclass

from numpy.random import default_rng

from mlaudit import Claim, Relation


@dataclass(frozen=True)
class Shouting:
    epsilon: float = 1.0

    @property
    def claim(self):
        return Claim(self.epsilon, relation=Relation.ADD_REMOVE)

    def scores(self, included, seed):
        return included + default_rng(seed).laplace(0.0, 0.01, len(included))
"""


@pytest.mark.slow
def test_the_command_takes_a_trainer_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "shouting.py"
    file.write_text(TRAINER)
    words = ["one-run", f"{file}:Shouting", "--epsilon", "2", "--canaries", "400", "--share-out", "0"]
    # Fails for a correct program with probability < 1e-9: nothing is where noise of scale 0.01 would be beyond 1.
    assert main([*words, "--json", "--fail-on-violation"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["guesses"], told["claim"]["epsilon"]) == ("violated", 40, 2.0)
    assert main(words) == 0
    assert "40 of 40 guesses (100 %) were correct on 400 canaries in one training" in capsys.readouterr().out
    assert main([*words, "--delta", "0.1"]) == 2
    assert "must have a field 'delta' to be given one, got none" in capsys.readouterr().err
