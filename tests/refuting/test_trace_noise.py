"""The trace as a detector: suspects are tested on their own pair, lines are named, nothing is lost without one."""

import os
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence
from sklearn.base import BaseEstimator

from mlaudit import Box, Claim, ClaimTest, Dataset, Relation, refute
from mlaudit.adapters.convert import as_mechanism
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.refuting import run
from mlaudit.refuting.detectors.trace_noise import TraceNoise
from mlaudit.refuting.effort import choose_effort
from mlaudit.refuting.locations import locate_lines
from mlaudit.refuting.suspects import plan_tests
from mlaudit.search.worst import Worst
from mlaudit.tracing.pairs import gather_pairs
from mlaudit.tracing.run import follow_pairs
from mlaudit.tracing.task import NOT_TRACED, FollowPairs, TraceAttempt, run_trace
from mlaudit.types.traits import Traits

CLAIM = Claim(1.0)
DATA = Dataset([0.0, 1.0, 0.0, 1.0, 1.0])


def too_little(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum() + rng.laplace(scale=0.2))  # the line at fault


def healthy(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum() + rng.laplace())


def hidden(data: Dataset, rng: Generator) -> float:
    """Its transcript costs 2, and the output tells nothing."""
    return float(data.X.sum() + rng.laplace(scale=0.5) > -1e6)


def costly(data: Dataset, rng: Generator) -> float:
    """Private at exactly the claim, although its transcript costs 11: the first answer is thrown away."""
    exact = data.X.sum()
    _ = exact + rng.laplace(scale=0.1)
    return float(exact + rng.laplace())


def picky(data: Dataset, rng: Generator) -> float:
    noise = rng.laplace()
    if type(noise) is not float:
        raise TypeError("a float, please")
    return float(3 * data.X.sum() + noise)


def quits(data: Dataset, rng: Generator) -> float:
    """Ends its process if it is followed."""
    noise = rng.laplace()
    if type(noise) is not float:
        os._exit(3)
    return float(data.X.sum() + noise)


def quick(learner: Any, data: Dataset | None = DATA, **more: Any) -> ClaimTest:
    return refute(learner, data, claim=CLAIM, effort="smoke", **{"engine": InProcess(), **more})


def why_not_run(result: ClaimTest) -> str:
    return {one.detector: one.why for one in result.skipped}["trace_noise"]


@pytest.mark.slow
def test_a_proved_suspect_names_its_line_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    # Fails for a correct program with probability < 1e-6: at five times the claim about 30 of 400 trainings do.
    result = quick(too_little)
    assert [one.detector for one in result.findings] == ["trace_noise"]
    [line] = result.findings[0].lines
    assert line.kind == "loss"
    assert line.site.source.endswith("# the line at fault")
    assert "> return float(data.X.sum() + rng.laplace(scale=0.2))" in str(result)
    assert result.summary()["findings"][0]["lines"][0]["line"] == line.site.line
    assert result.trace is not None
    assert result.trace.faults[0].proved
    again = ClaimTest.from_json(result.to_json())
    assert again.findings[0].lines == result.findings[0].lines
    assert again.summary() == result.summary()
    monkeypatch.chdir(os.path.dirname(__file__))
    [located] = locate_lines(again)
    assert (located.role, located.file, located.line) == ("traced", os.path.basename(__file__), line.site.line)
    assert located.source == line.site.source


@pytest.mark.slow
def test_findings_of_other_detectors_name_their_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # Fails for a correct program with probability < 1e-6: as above.
    monkeypatch.setattr(run, "follow_noise", lambda subject: NOT_TRACED)
    [found] = quick(too_little).findings
    assert found.detector == "worst_data"
    assert [line.site.function for line in found.lines] == ["too_little"]


@pytest.mark.slow
def test_without_a_suspect_no_number_of_the_other_detectors_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    result = quick(healthy, trainings=100)
    assert why_not_run(result) == "no suspect on 20 pairs: nothing to test"
    assert result.trace is not None
    assert result.trace.limit == pytest.approx(1.0)
    assert "no output can leak more than ε = 1, if all noise was followed and no draw leads to other code" in str(
        result
    )
    monkeypatch.setattr(run, "follow_noise", lambda subject: NOT_TRACED)
    assert quick(healthy, trainings=100).attempts == result.attempts


@pytest.mark.slow
def test_a_suspect_that_no_output_shows_is_told_and_is_no_violation() -> None:
    # Fails for a correct program with probability < 1e-9: the output is the same in every training.
    result = quick(hidden, trainings=100)  # suspects get four times as many
    assert result.verdict == "not_refuted"
    assert result.findings == ()
    assert "loss of the transcript above the claim; not visible in the released output at 400 trainings" in str(
        result
    )
    assert locate_lines(result) == []


@pytest.mark.slow
def test_a_learner_that_cannot_be_followed_loses_nothing_and_gets_a_hint() -> None:
    result = quick(picky)
    assert why_not_run(result) == "the learner cannot be followed: it raised TypeError: a float, please"
    assert result.violated
    assert result.attempts[0].alpha == pytest.approx(0.05 / 3)
    assert result.trace is not None
    [hint] = result.trace.hints
    assert "with equal seeds, output moves by about" in hint


def in_a_child(learner: Any) -> TraceAttempt:
    pairs = gather_pairs(as_mechanism(learner, CLAIM), DATA, None, CLAIM, 5, 0)
    return run_trace(FollowPairs(as_mechanism(learner, CLAIM), pairs, CLAIM, 3, 0), LokyEngine())


@pytest.mark.slow
def test_a_learner_that_ends_its_process_when_followed_ends_a_child_only() -> None:
    assert in_a_child(quits) == TraceAttempt(
        None, "the learner cannot be followed: it left its process (exit code 3)"
    )


@pytest.mark.slow
def test_a_child_process_and_this_one_trace_alike() -> None:
    there = in_a_child(too_little).result
    assert there is not None
    here = follow_pairs(
        as_mechanism(too_little, CLAIM),
        gather_pairs(as_mechanism(too_little, CLAIM), DATA, None, CLAIM, 5, 0),
        CLAIM,
        3,
        0,
    )
    assert there.faults[0].kind == "loss"
    assert there.to_json() == here.to_json()


@pytest.mark.slow
def test_isolated_trainings_are_not_traced() -> None:
    assert "process of its own" in why_not_run(quick(too_little, isolate=True, trainings=100))


class Keeps(BaseEstimator):  # type: ignore[misc]
    """A private mean, and the largest value beside it."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: object = None) -> "Keeps":
        rng = np.random.default_rng(self.random_state)
        self.mean_ = np.clip(X, 0, 1).mean() + rng.laplace(scale=1 / len(X))
        self._largest = X.max()
        return self


@pytest.mark.slow
def test_an_attribute_that_bypasses_the_noise_is_tested_as_such() -> None:
    # Fails for a correct program with probability < 1e-6: the largest value tells D from D′ in every training.
    [found] = quick(Keeps(), Dataset([0.0, 0.25, 0.5, 0.5, 1.0])).findings
    assert (found.place, found.detector) == ("_largest", "trace_noise")
    assert [line.site.source for line in found.lines] == ["self._largest = X.max()"]


@pytest.mark.slow
def test_every_planned_test_is_paid_for_and_there_are_enough_trainings() -> None:
    learner = as_mechanism(Keeps(), CLAIM)
    pairs = gather_pairs(learner, Dataset([0.0, 0.25, 0.5, 1.0]), None, CLAIM, 20, 0)
    faults = follow_pairs(learner, pairs, CLAIM, 3, 0).faults
    planned = plan_tests(faults, 400)
    assert planned[0].attributes == {"_largest"}  # where the suspect should show
    assert 1 < len(planned) <= 4
    assert len(plan_tests(faults, 100)) == 1


@pytest.mark.parametrize("relation", [Relation.REPLACE_ONE, Relation.ADD_REMOVE, Relation.ZERO_OUT])
def test_pairs_are_one_step_apart_legal_and_none_twice(relation: Relation) -> None:
    claim = Claim(1.0, relation=relation)
    pairs = gather_pairs(as_mechanism(healthy, claim), DATA, None, claim, 50, 0)
    assert {one.pair.steps(relation) for one in pairs} == {1}
    assert len({(one.pair.base.digest, one.pair.neighbour.digest) for one in pairs}) == len(pairs) > 10


@pytest.mark.slow
def test_a_learner_that_takes_its_bounds_from_the_domain_is_not_suspected_across_domains() -> None:
    """Crafted datasets with equal rows in different domains must not be taken for one dataset."""

    class Bounded:
        claim, traits = CLAIM, Traits(name="bounded")

        def domain(self, data: Dataset) -> Any:
            return Box.enclosing(data.X)

        def fit(self, data: Dataset, seed: SeedSequence) -> float:
            width = np.ptp([data.domain.low, data.domain.high])  # type: ignore[union-attr]
            return float(data.X.sum() + np.random.default_rng(seed).laplace(0.0, width))

        def summary(self, model: float, target: Any) -> np.ndarray:
            return np.array([model])

    learner = Bounded()
    pairs = gather_pairs(learner, None, Worst(vary=True, columns=1), CLAIM, 40, 0)
    assert len({str(one.pair.base.domain) for one in pairs}) > 3
    found = follow_pairs(learner, pairs, CLAIM, 3, 0)
    assert found.faults == ()
    assert found.limit == pytest.approx(1.0)


def test_more_effort_traces_more_pairs() -> None:
    assert [choose_effort(name).traced for name in ("smoke", "ci", "nightly")] == [20, 100, 300]


@pytest.mark.statistical
def test_a_suspected_learner_that_keeps_its_claim_is_refuted_at_most_as_often_as_its_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every run has a suspect on which the learner uses up its claim. First bounds are counted."""
    # Fails for a correct program with probability < 1e-6: P(Bin(5, 0.02) ≥ 4) = 8e-7. A program that refutes it nine
    # times in ten is caught with probability 0.92.
    monkeypatch.setattr(run, "choose_detectors", lambda *_, **__: {"trace_noise": TraceNoise()})
    wrong = 0
    for seed in range(5):
        [mine] = quick(costly, trainings=100, alpha=0.02, seed=1000 * seed).attempts
        assert (mine.detector, mine.alpha) == ("trace_noise", 0.02)
        wrong += mine.verdict in ("violated", "not_repeated")
    assert wrong < 4
