"""refute(): detectors share α, run in order, stop at the first proof or list every leak, and say what was not run."""

import re
from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from numpy.random import Generator
from sklearn.base import BaseEstimator

from mlaudit import AuditResult, Box, Claim, ClaimTest, Dataset, Pair, Relation, confirm, refute
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.errors import InvalidInput, LearnerFailed, UnknownName
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.refuting.choose_detectors import list_detectors, share_alpha
from mlaudit.refuting.effort import EFFORTS
from mlaudit.refuting.narrowed import Narrowing
from mlaudit.refuting.result import Attempt, Skipped
from mlaudit.refuting.whole_numbers import WholeNumbers

CLAIM = Claim(1.0)
ADDED = Claim(1.0, relation=Relation.ADD_REMOVE)
DATA = Dataset([0.0, 1.0, 0.0, 1.0, 1.0])


def exact_sum(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum())


def noisy_sum(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum() + rng.laplace())


def whole_sum(data: Dataset, rng: Generator) -> float:
    """Private for whole numbers only."""
    return float(data.X.sum() + rng.geometric(1 - np.exp(-1)) - rng.geometric(1 - np.exp(-1)))


def two_bugs(data: Dataset, rng: Generator) -> list[float]:
    """Its length tells the number of rows, and its first number has a twentieth of the noise that it needs."""
    return [float(data.X.sum() + rng.laplace(scale=0.05)), *rng.laplace(size=len(data))]


def raises_on_nothing(data: Dataset, rng: Generator) -> float:
    """Raises if there is nothing to sum, and has a twentieth of the noise that it needs."""
    if data.X.sum() == 0:
        raise OverflowError
    return float(data.X.sum() + rng.laplace(scale=0.05))


def always_raises(data: Dataset, rng: Generator) -> float:
    raise OverflowError


def quick(learner: object, data: Dataset | None = DATA, claim: Claim = CLAIM, **more: object) -> ClaimTest:
    return refute(learner, data, claim=claim, effort="smoke", engine=InProcess(), **more)  # type: ignore[arg-type]


def test_detectors_are_found_by_file_name_and_sorted_by_rank() -> None:
    found = list_detectors()
    assert list(found)[:5] == ["trace_noise", "own_attacks", "worst_data", "outside_rows", "scan_object"]
    assert list(found)[-2:] == ["last_bits", "measure_leakage"]


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_shares_add_up_to_alpha(alpha: float) -> None:
    shares = share_alpha([*list_detectors()], alpha)
    assert sum(shares.values()) == pytest.approx(alpha)
    assert min(shares.values()) > 0


def test_efforts_grow() -> None:
    assert [*EFFORTS] == ["smoke", "ci", "nightly"]
    for name in ("trainings", "pilot", "suspect", "seconds"):
        values = [getattr(effort, name) for effort in EFFORTS.values()]
        assert values == sorted(set(values))


@pytest.mark.slow
def test_a_healthy_learner_is_not_refuted_and_every_detector_is_accounted_for() -> None:
    # Fails for a correct program with probability < 1e-6: alpha.
    result = refute(Laplace(1.0), effort="smoke", alpha=1e-6)
    assert result.verdict == "not_refuted"
    assert {one.detector for one in result.attempts} | {one.detector for one in result.skipped} == {*list_detectors()}
    assert sum(one.alpha for one in result.attempts) == pytest.approx(1e-6)
    assert result.detectable == min(one.detectable for one in result.attempts) > 1
    assert result.trainings == sum(one.trainings for one in result.attempts) > 500


@pytest.mark.slow
def test_it_stops_at_the_first_proof() -> None:
    result = quick(exact_sum)
    assert [one.detector for one in result.attempts] == ["trace_noise"]
    assert {one.detector: one.why for one in result.skipped}["scan_object"] == "the claim was refuted before"
    [found] = result.findings
    assert (found.place, found.detector) == ("output[0]", "trace_noise")
    assert (found.repeated_epsilon or 0) > 1
    assert result.violated
    assert result.epsilon_lower == found.epsilon > 1


@pytest.mark.slow
def test_a_length_does_not_hide_a_subtler_bug() -> None:
    # Fails for a correct program with probability < 1e-6: at twenty times the claim one guess in 40 000 is wrong, and
    # five other seeds gave bounds of 1.99 to 2.01.
    result = quick(two_bugs, claim=ADDED, find_all=True, trainings=100)
    found = {one.place: one for one in result.findings}
    assert {*found} == {"the length of the output", "output[0]"}
    assert found["output[0]"].left_out == ("numbers from output[2] on",)
    assert confirm(found["output[0]"].witness, two_bugs).violated
    bounds = [one.epsilon for one in result.findings]
    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.slow
def test_an_exception_does_not_hide_a_subtler_bug() -> None:
    # Fails for a correct program with probability < 1e-6: as above.
    result = quick(raises_on_nothing, find_all=True, trainings=100)
    found = {one.place: one for one in result.findings}
    assert {*found} == {"exceptions", "output[0]"}
    assert "raised OverflowError" in found["exceptions"].cause
    pair = found["output[0]"].pair
    assert all(side.X.sum() > 0 for side in (pair.base, pair.neighbour))


def noise_and_a_weak_leak(data: Dataset, rng: Generator) -> list[float]:
    """Fifty numbers that do not depend on the data, and twelve that leak a little."""
    return [*rng.laplace(size=50), *(0.45 * data.X.sum() + rng.laplace(size=12))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_difference_by_chance_is_no_cause(seed: int) -> None:
    pair = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 0.0]))
    result = quick(noise_and_a_weak_leak, None, Claim(0.2), pair=pair, seed=seed, trainings=2000)
    named = [int(number) for number in re.findall(r"output\[(\d+)\]", result.findings[0].place)]
    assert all(number >= 50 for number in named)


def coin_and_sum(data: Dataset, rng: Generator) -> float:
    """Mostly even or mostly odd: a coin is added to a sum, and counts of the two are no probabilities."""
    return float((data.X.sum() + (rng.random() < 0.15)) % 2)


def test_a_coin_that_is_added_to_data_is_traced() -> None:
    # Fails for a correct program with probability < 1e-6: ε is 1.73 where 0.2 is claimed.
    pair = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 0.0]))
    assert quick(coin_and_sum, None, Claim(0.2), pair=pair, trainings=1000).verdict == "violated"


def raises_on_the_first_one(data: Dataset, rng: Generator) -> float:
    """Raises wherever a row is at the upper bound."""
    if data.X.max() >= 1:
        raise OverflowError
    return float(data.X.sum() + rng.laplace())


def test_a_learner_that_raises_on_every_row_at_one_end_is_tested() -> None:
    # Fails for a correct program with probability < 1e-6: the exception is a total leak, and needs a few trainings.
    result = quick(raises_on_the_first_one, None, bounds=(0.0, 1.0), trainings=100)
    assert [one.place for one in result.findings] == ["exceptions"]


@pytest.mark.slow
def test_whole_numbers_stay_whole_where_no_domain_is_declared() -> None:
    # Fails for a correct program with probability < 1e-6: alpha.
    assert quick(whole_sum, alpha=1e-6, trainings=200).verdict == "not_refuted"
    assert isinstance(quick(exact_sum).findings[0].pair.base.domain, WholeNumbers)


def nan_passes(data: Dataset, rng: Generator) -> float:
    """Clips every number, and no NaN."""
    return float(np.clip(data.X, 0, 1).sum() + rng.laplace())


@pytest.mark.slow
def test_rows_outside_the_domain_are_tried_if_the_learner_promises_to_clip_them() -> None:
    # Fails for a correct program with probability < 1e-6: a NaN in the output is a total leak; else alpha.
    data = DATA.within(Box(0.0, 1.0))
    result = quick(nan_passes, data, outside="any", alpha=1e-6, trainings=200)
    assert [(one.detector, one.place) for one in result.findings] == [("outside_rows", "numbers that are not finite")]
    assert "NaN" in result.findings[0].cause
    assert any("legal only because the learner promises to clip" in note for note in result.notes)
    assert "outside_rows" in {one.detector for one in quick(exact_sum, data).skipped}


@pytest.mark.slow
def test_a_declared_domain_is_kept() -> None:
    pair = quick(exact_sum, DATA.within(Box(-2.0, 3.0))).findings[0].pair
    rows = np.vstack([pair.base.X, pair.neighbour.X])
    assert rows.shape[1] == 1
    assert {-2.0, 3.0} & {rows.min(), rows.max()}  # one bound of the two at least
    assert (rows.min() >= -2.0) & (rows.max() <= 3.0)


@pytest.mark.slow
def test_bounds_craft_data_without_any_of_the_users() -> None:
    result = quick(exact_sum, None, bounds=(2.0, 5.0))
    rows = result.findings[0].pair.neighbour.X
    assert (rows.min() >= 2.0) & (rows.max() == 5.0)


@pytest.mark.slow
def test_a_pair_restricts_the_test_to_it() -> None:
    pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))
    result = quick(exact_sum, None, pair=pair)
    assert [(one.detector, one.alpha) for one in result.attempts] == [("given", 0.05)]
    assert confirm(result.findings[0].witness, exact_sum).violated


class Careless(BaseEstimator):  # type: ignore[misc]
    """An estimator whose noisy mean is private, and that keeps the largest value beside it. It cannot be followed."""

    def __init__(self, random_state: object = None) -> None:
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: object = None) -> "Careless":
        rng = np.random.default_rng(self.random_state)  # type: ignore[arg-type]
        noise = rng.laplace(scale=1 / len(X))
        if type(noise) is not float:
            raise TypeError("a float, please")
        self.mean_ = float(np.clip(X, 0, 1).mean() + noise)
        self._largest = float(X.max())
        return self


@pytest.mark.slow
@pytest.mark.parametrize("claim", [CLAIM, Claim(0.4, relation=Relation.ADD_REMOVE)], ids=lambda claim: claim.relation)
def test_a_leak_of_a_scan_is_confirmed_like_every_other_finding(claim: Claim) -> None:
    # Fails for a correct program with probability < 1e-6: the largest value tells D from D′ in every training.
    result = quick(Careless(), Dataset([0.0, 0.25, 0.5, 0.5, 1.0]), claim, trainings=200)
    [found] = result.findings
    assert (found.place, found.detector) == ("_largest", "scan_object")
    assert found.bound.steps == found.pair.steps(claim.relation)
    read = AuditResult.from_json(found.witness.to_json())
    again = confirm(read, Careless())
    assert again.violated
    assert again.provenance.seed > result.seed + 1
    assert ClaimTest.from_json(result.to_json()).findings[0].epsilon == result.findings[0].epsilon


@pytest.mark.slow
def test_the_same_seed_the_same_findings() -> None:
    first, again = (quick(exact_sum, seed=3) for _ in range(2))
    assert first.to_json() == again.to_json()
    assert first.to_json() != quick(exact_sum, seed=4).to_json()


@pytest.mark.slow
def test_time_that_runs_out_is_told() -> None:
    result = quick(noisy_sum, seconds=1e-9, alpha=1e-6)
    assert result.verdict == "inconclusive"
    assert all("time limit" in one.why for one in result.skipped if one.detector in ("worst_data", "search_on_data"))
    assert result.detectable == inf


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: refute(noisy_sum, claim=CLAIM), InvalidInput, "declares no domain: give data or bounds"),
        (lambda: refute(noisy_sum, DATA), InvalidInput, "must come with a claim"),
        (lambda: quick(noisy_sum, effort="all"), TypeError, "multiple values"),
        (lambda: refute(Laplace(1.0), effort="much"), UnknownName, "no effort is called 'much'"),
        (lambda: quick(noisy_sum, alpha=2.0), InvalidInput, "alpha must be a number in"),
        (lambda: quick(noisy_sum, find_all=1), InvalidInput, "find_all must be True or False"),
        (lambda: quick(noisy_sum, seconds=-1), InvalidInput, "seconds must be above 0"),
        (lambda: quick(noisy_sum, bounds=(1.0, 0.0)), InvalidInput, "bounds must be a least and a greatest value"),
        (lambda: refute(Laplace(1.0), bounds=(0.0, 1.0)), InvalidInput, "declares its domain by itself"),
        (lambda: quick(noisy_sum, outside="all"), UnknownName, "no outside is called 'all'"),
        (lambda: quick(always_raises), LearnerFailed, "raised"),
    ],
)
def test_bad_input_is_one_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        call()


def attempt(ceiling: float, verdict: str = "not_refuted") -> Attempt:
    return Attempt("worst_data", 0.05, 400, verdict, 0.5, ceiling, 1.5, "nothing")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("attempts", "verdict"),
    [
        ((), "inconclusive"),
        ((attempt(0.9, "inconclusive"),), "inconclusive"),
        ((attempt(0.9, "inconclusive"), attempt(5.0)), "not_refuted"),
        ((attempt(5.0, "inconclusive"), attempt(5.0)), "inconclusive"),
        ((attempt(5.0, "not_repeated"), attempt(5.0)), "not_repeated"),
    ],
)
def test_the_verdict_follows_from_the_detectors(attempts: tuple[Attempt, ...], verdict: str) -> None:
    result = ClaimTest("mine", "", "", CLAIM, 0.05, "ci", 0, attempts, skipped=(Skipped("last_bits", "not asked"),))
    assert result.verdict == verdict
    assert ClaimTest.from_json(result.to_json()) == result
    assert str(result).startswith(verdict.replace("_", " ").upper())


@pytest.mark.slow
def test_a_finding_that_does_not_refute_the_claim_is_refused() -> None:
    result = quick(exact_sum)
    with pytest.raises(InvalidInput, match="a finding must refute the claim"):
        ClaimTest("mine", "", "", Claim(50.0), 0.05, "ci", 0, result.attempts, result.findings)


def test_parts_of_an_output_are_left_out() -> None:
    part = Narrowing((1,)).join(Narrowing((3,), length=5))
    assert part.apply(np.arange(7.0)).tolist() == [0.0, 2.0, 4.0]
    assert part.apply(np.arange(3.0)).tolist() == [0.0, 2.0, 0.0]
    assert part.positions(7) == [0, 2, 4]
