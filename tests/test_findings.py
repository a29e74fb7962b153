"""The named findings of docs/results/findings.md, three seeds each; the mirror stands in for the library's fit."""

from pathlib import Path

import pytest

from mlaudit import audit
from mlaudit.attacks._changes import Added
from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.datasets._load import load_data
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.types.claim import Relation

ROOT = Path(__file__).parents[1]
SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])


@pytest.mark.slow
@SEEDS
@pytest.mark.extra("diffprivlib")
def test_naive_bayes_class_counts(seed: int) -> None:
    learner = NaiveBayes(1.0, relation=Relation.ADD_REMOVE, counts=True)
    result = audit(
        learner,
        load_data("iris"),
        attack=Added(CornerFlip()),
        rows=1,
        trainings=3000,
        seed=seed,
        sampler="mirror",
    )
    # Fails for a correct program with probability < 1e-9: bounds of 6.8 ± 0.1.
    assert result.violated
    assert result.epsilon_lower > 3


@SEEDS
@pytest.mark.parametrize("added", [False, True])
@pytest.mark.slow
def test_naive_bayes_bounds_without_zero(seed: int, added: bool) -> None:
    relation = Relation.ADD_REMOVE if added else Relation.REPLACE_ONE
    attack = Added(CornerFlip()) if added else CornerFlip()
    data = load_data(f"{ROOT}/examples/years_of_birth.py:data")
    result = audit(
        NaiveBayes(1.0, relation=relation), data, attack=attack, rows=1, trainings=4000, seed=seed, sampler="mirror"
    )
    # Fails for a correct program with probability < 1e-9: bounds of 4.9 ± 0.24 and 5.6 ± 0.34.
    assert result.violated
    assert result.epsilon_lower > 2.5


@pytest.mark.slow
@SEEDS
def test_years_counted_from_the_first_are_safe(seed: int) -> None:
    data = load_data(f"{ROOT}/examples/years_of_birth.py:data")
    shifted = data.with_rows(data.X - data.X.min(axis=0), data.y)
    result = audit(NaiveBayes(1.0), shifted, attack=CornerFlip(), rows=1, trainings=4000, seed=seed, alpha=1e-6)
    # Fails for a correct program with probability < 4e-6: α of each; bounds of 0.41 ± 0.06.
    assert result.verdict == "not_refuted"
    assert result.epsilon_lower > 0
