"""Mistakes that a second look found once; none of them may come back."""

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator

from mlaudit import Box, Claim, Dataset, FunctionMechanism, LokyEngine, Pair, audit, confirm
from mlaudit.cli import main
from mlaudit.errors import InvalidInput, LearnerFailed
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.fingerprint import user_code
from mlaudit.procedures.progressive import Progressive
from mlaudit.samplers.sampled import sampler_of
from mlaudit.types.finding import Bound

PAIR = Pair(Dataset([0.0]), Dataset([1.0]))


@pytest.mark.slow
def test_a_replay_of_a_replay_never_counts_what_the_witness_was_learned_on() -> None:
    result = audit(Laplace(1.0), rows=1, trainings=600, seed=0)
    again = confirm(result, Laplace(1.0), Progressive(), trainings=600, seed=1)
    with pytest.raises(InvalidInput, match="the result's own seed 0"):
        confirm(again, Laplace(1.0), Progressive(), trainings=600, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [2.0, 4.0])
def test_rows_are_chosen_with_delta_in_mind(epsilon: float) -> None:
    result = audit(Gaussian(epsilon, 1e-5), trainings=1000)
    # Fails for a correct program with probability < 1e-9: bounds of 0.81 ± 0.08 and 1.55 ± 0.17.
    assert result.finding.bound.ceiling > 0
    assert result.epsilon_lower > 0


@pytest.mark.slow
def test_rows_that_delta_gives_away_at_the_claim_cannot_refute_it_and_say_so() -> None:
    result = audit(Gaussian(4.0, 1e-5), rows=8, trainings=400)
    assert result.epsilon_lower <= result.finding.bound.ceiling < 1.0
    assert result.verdict == "inconclusive"


def test_labels_of_another_type_are_not_the_same_labels() -> None:
    base = Dataset([0.0, 1.0], y=[0, 1])
    with pytest.raises(InvalidInput, match="labels of one type, got int64 and <U1"):
        Pair(base, Dataset([0.0, 2.0], y=["0", "1"]))


def test_a_small_box_has_a_small_slack() -> None:
    inside = Box([0.0], [1e-10]).contains(np.array([[1e-10], [5e-10]]))
    assert inside.tolist() == [True, False]


def test_an_edited_helper_module_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = tmp_path / "noise_helper_of_a_learner.py"
    helper.write_text("SCALE = 0.25\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = user_code()
    import_module("noise_helper_of_a_learner")
    loaded = user_code()
    helper.write_text("SCALE = 1.0\n", encoding="utf-8")
    edited = user_code()
    del sys.modules["noise_helper_of_a_learner"]
    assert len({before, loaded, edited}) == 3
    assert user_code() == before


def test_only_a_library_is_called_a_library() -> None:
    assert sampler_of(NaiveBayes()) == "library"
    assert sampler_of(LogisticOutput()) == "function"


def test_a_bound_just_above_the_claim_is_printed_above_it() -> None:
    result = audit(Laplace(1.0), rows=1, trainings=600)
    close = replace(result.finding, bound=Bound(1.0004, 5.0, 0.05, 1, "nested scan"))
    assert "ε ≥ 1.0004 with" in str(replace(result, finding=close, verdict="violated"))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_whether_a_learner_is_alive_is_asked_of_its_first_trainings_only(jobs: int) -> None:
    def raises(share: float) -> Callable[[Dataset, Generator], float]:
        def learner(data: Dataset, rng: Generator) -> float:
            if rng.random() < share:
                raise ValueError("no luck")
            return float(rng.laplace())

        return learner

    # Fails for a correct program with probability < 2e-9: 0.9 ** 200 for each number of jobs.
    audit(raises(0.9), pair=PAIR, claim=Claim(1.0), trainings=400, engine=LokyEngine(jobs))
    with pytest.raises(LearnerFailed, match="all of the first 200 trainings raised"):
        audit(raises(1.0), pair=PAIR, claim=Claim(1.0), trainings=4000, engine=LokyEngine(jobs))


MINE = """
from mlaudit import Claim, Dataset, FunctionMechanism, Pair
pair = Pair(Dataset([0.0]), Dataset([1.0]))
mine = FunctionMechanism(lambda data, rng: data.X.sum() + rng.laplace(), Claim(1.0))
"""


@pytest.mark.slow
def test_an_epsilon_that_does_not_reach_the_mechanism_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    assert main(["run", "mine.py:mine", "--pair", "mine.py:pair", "--epsilon", "0.3", "--trainings", "200"]) == 2
    assert "claims ε = 1 by itself, got --epsilon 0.3" in capsys.readouterr().err
    assert main(["run", "mine.py:mine", "--pair", "mine.py:pair", "--trainings", "200"]) == 0


def test_an_instance_states_its_own_claim() -> None:
    mechanism = FunctionMechanism(lambda data, rng: data.X.sum() + rng.laplace(), Claim(1.0))
    assert audit(mechanism, pair=PAIR, trainings=200).claim == Claim(1.0)
