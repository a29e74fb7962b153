"""A scan finds what a learner gives away, says under which relation, and leaves healthy learners alone."""

import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng

from mlaudit import Box, Claim, Dataset, LokyEngine, Relation, scan
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import InvalidInput, LearnerFailed
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.scanning.neighbours import neighbours
from mlaudit.scanning.result import ScanResult
from mlaudit.scanning.scores import SuspectScores
from mlaudit.scanning.standing import standing
from mlaudit.types.finding import Bound
from mlaudit.types.traits import Traits

DATA = Dataset([[0.1], [0.4], [0.9], [0.5], [0.3], [0.8]], [0, 1, 0, 1, 0, 1], Box([0.0], [1.0], (0, 1)))
PROMISE = Claim(1.0)
SEEDS = pytest.mark.parametrize("seed", [0, 1])


@dataclass
class Fitted:
    """What a toy learner leaves behind."""

    sum_: float
    _true: float = 0.0


@dataclass(frozen=True)
class Toy:
    """A noisy sum of one bounded column; the leaky one also keeps the sum itself, where nobody is meant to look."""

    leaky: bool = False
    claim: Claim = PROMISE
    traits = Traits(name="toy")

    def domain(self, data: Dataset) -> Box:
        return Box([0.0], [1.0], (0, 1))

    def fit(self, data: Dataset, seed: SeedSequence) -> Fitted:
        total = float(data.X.sum())
        return Fitted(total + default_rng(seed).laplace(), total if self.leaky else 0.0)

    def summary(self, model: Any, target: Any) -> Any:
        return np.array([model.sum_])


ALPHA = 1e-6  # 200 guesses, all of them right, refute ε = 1 at this error, too
# Whatever is asserted to leak here leaks without fail: its guesses are all right, and nothing about them is random.


def scanned(learner: Any, seed: int = 0, **settings: Any) -> ScanResult:
    return scan(learner, DATA, pilot=20, trainings=200, alpha=ALPHA, seed=seed, **settings)


@cache
def leaky(seed: int) -> ScanResult:
    return scanned(Toy(leaky=True), seed)


@cache
def healthy(seed: int) -> ScanResult:
    return scanned(Toy(), seed)


def found(result: ScanResult, standing: str) -> set[tuple[str, str]]:
    return {
        (leak.suspect.attribute, leak.suspect.neighbour.pair.relation.value)
        for leak in result.above
        if leak.standing == standing
    }


# Fails for a correct program with probability < 4e-6: four scans, each of which accuses what is private with α at
# most.
@pytest.mark.slow
@SEEDS
def test_a_leaky_learner_is_found_and_its_healthy_twin_is_not(seed: int) -> None:
    bad, good = leaky(seed), healthy(seed)
    assert found(bad, "violated") == {("_true", "replace-one")}
    assert found(bad, "not_claimed") == {("_true", "add-remove")}
    assert not next(leak for leak in bad.above).suspect.public
    assert good.above == ()
    assert bad.violated
    assert not good.violated


@pytest.mark.slow
def test_class_counts_are_found_with_no_hint() -> None:
    for relation, verdict in ((Relation.REPLACE_ONE, "not_claimed"), (Relation.ADD_REMOVE, "violated")):
        result = scan(NaiveBayes(1.0, relation), DATA, pilot=10, trainings=100)
        row = next(
            leak
            for leak in result.above
            if leak.suspect.clues[0].path == "class_count_.sum"
            and leak.suspect.neighbour.pair.relation is Relation.ADD_REMOVE
        )
        assert row.standing == verdict
        assert row.bound.epsilon > 2
        assert ("class_count_", "add-remove") in found(result, verdict)


def raises_for_many(data: Dataset, rng: Generator) -> float:
    if len(data) > 6:
        raise ValueError("too many rows")
    return float(rng.laplace())


def warns_for_few(data: Dataset, rng: Generator) -> float:
    if len(data) < 6:
        warnings.warn("few rows", UserWarning, stacklevel=1)
    return float(rng.laplace())


def never_learns(data: Dataset, rng: Generator) -> float:
    raise OverflowError("too much")


def nan_at_a_bound(data: Dataset, rng: Generator) -> float:
    return float("nan") if (data.X == 1.0).any() else float(rng.laplace())


@pytest.mark.parametrize(
    ("learner", "attribute"), [(raises_for_many, "raised"), (warns_for_few, "warned"), (nan_at_a_bound, "output")]
)
@pytest.mark.slow
def test_exceptions_warnings_and_nan_are_told(learner: Any, attribute: str) -> None:
    result = scanned(learner, claim=Claim(1.0, relation=Relation.ADD_REMOVE))
    assert (attribute, "add-remove") in found(result, "violated")


def test_a_learner_that_never_learns_has_nothing_to_scan() -> None:
    with pytest.raises(LearnerFailed, match="all of 20 trainings on D raised; the first of them: too much"):
        scanned(never_learns, claim=Claim(1.0))


@pytest.mark.parametrize("settings", [{"pilot": 5}, {"trainings": 50}, {"alpha": 1.5}, {"seed": -1}])
def test_bad_numbers_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        scan(Toy(), DATA, **settings)


@pytest.mark.slow
def test_workers_change_no_number() -> None:
    alone, two = leaky(0), scanned(Toy(leaky=True), engine=LokyEngine(2))
    assert alone.above
    assert alone.summary() == two.summary()


@pytest.mark.slow
def test_suspects_are_counted_on_trainings_that_did_not_choose_them() -> None:
    leak = leaky(0).leaks[0]
    pair = leak.suspect.neighbour.pair
    scored = SuspectScores(Toy(leaky=True), np.zeros((1, 1)), (leak.suspect,))
    chose, counted = (TrainingStream(subject, pair.base, None, 0) for subject in (Toy(leaky=True), scored))
    assert chose.spawn_key != counted.spawn_key


@pytest.mark.slow
def test_the_error_is_shared_by_all_suspects() -> None:
    result = leaky(0)
    assert [leak.bound.alpha for leak in result.leaks] == pytest.approx(
        [ALPHA / len(result.leaks)] * len(result.leaks)
    )


@pytest.mark.parametrize(
    ("claimed", "relation", "epsilon", "stands"),
    [
        (Relation.REPLACE_ONE, Relation.REPLACE_ONE, 1.1, "violated"),
        (Relation.REPLACE_ONE, Relation.REPLACE_ONE, 1.0, "not_refuted"),
        (Relation.REPLACE_ONE, Relation.ADD_REMOVE, 9.0, "not_claimed"),
        (Relation.ADD_REMOVE, Relation.ADD_REMOVE, 1.1, "violated"),
        (Relation.ADD_REMOVE, Relation.REPLACE_ONE, 1.9, "not_claimed"),
        (Relation.ADD_REMOVE, Relation.REPLACE_ONE, 2.1, "violated"),
    ],
)
def test_only_the_claimed_relation_is_violated(
    claimed: Relation, relation: Relation, epsilon: float, stands: str
) -> None:
    assert standing(Claim(1.0, relation=claimed), relation, Bound(epsilon, 9.0, 0.05, 1, "e-process")) == stands


def test_a_claim_with_delta_is_not_doubled() -> None:
    claim = Claim(1.0, delta=1e-5, relation=Relation.ADD_REMOVE)
    assert standing(claim, Relation.REPLACE_ONE, Bound(5.0, 9.0, 0.05, 1, "e-process")) == "not_claimed"


# Fails for a correct program with probability < 2e-6: two scans, each of which accuses what is private with α at
# most.
@pytest.mark.slow
def test_the_table_says_the_claimed_relation_first() -> None:
    text = str(leaky(0))
    first, second, third, *_ = text.splitlines()
    assert first == "VIOLATED      toy, claim ε = 1 (replace-one)"
    assert second.endswith(
        "confidence. _true reveals more about a row than the claim allows, also on fresh trainings."
    )
    assert third == "Under add-remove, which is not claimed, _true reveals more than ε = 1 allows."
    assert "private" in text
    assert "No attribute of the fitted object refutes the claim." in str(healthy(0))


@pytest.mark.slow
def test_a_total_leak_is_told_even_where_so_few_trainings_cannot_refute_the_claim() -> None:
    result = scanned(Toy(leaky=True, claim=Claim(20.0)))
    assert ("_true", "replace-one") in found(result, "inconclusive")
    assert not result.violated
    assert "_true reveals in every training whether it was on D or D′" in str(result)


@pytest.mark.slow
def test_every_suspect_is_in_the_summary() -> None:
    result = leaky(0)
    rows = result.summary()["rows"]
    assert len(rows) == len(result.leaks)
    assert result.summary()["verdict"] == "violated"
    assert {row["access"] for row in rows if row["attribute"] == "_true"} == {"private"}


@pytest.mark.slow
def test_a_plain_claim_restates_the_learner() -> None:
    result = scanned(Toy(leaky=True), claim=replace(Toy().claim, relation=Relation.ADD_REMOVE))
    assert ("_true", "add-remove") in found(result, "violated")


@pytest.mark.slow
def test_the_neighbours_are_those_of_the_domain() -> None:
    result = healthy(0)
    assert len(neighbours(DATA)) <= result.neighbours <= len(neighbours(DATA)) + 2, (
        "a search adds one of each relation"
    )
