"""Suspects that short tests do not prove are tested again on more trainings, after all other detectors."""

from typing import Any

import pytest
from numpy.random import Generator

from mlaudit import Box, Claim, ClaimTest, Dataset, refute
from mlaudit.drawing.engines.in_process import InProcess

DATA = Dataset([[0.0], [1.0], [0.0]], domain=Box(0.0, 1.0))


def hidden(data: Dataset, rng: Generator) -> float:
    """Noise that is far too small, of which the output shows nothing."""
    return 0.0 * float(data.X.sum() + rng.laplace(scale=0.1))


def too_little(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum() + rng.laplace(scale=0.2))


def run_test(learner: Any, **more: Any) -> ClaimTest:
    return refute(learner, DATA, claim=Claim(1.0), trainings=100, engine=InProcess(), **more)


@pytest.mark.slow
def test_an_unproved_suspect_is_tested_last_and_on_four_times_as_many_trainings() -> None:
    result = run_test(hidden)
    assert result.verdict == "not_refuted"
    by_name = {one.detector: one for one in result.attempts}
    assert [*by_name][:: len(by_name) - 1] == ["trace_noise", "suspects_again"]
    assert by_name["suspects_again"].alpha == by_name["trace_noise"].alpha
    assert by_name["suspects_again"].detectable < by_name["trace_noise"].detectable
    assert "not visible in the released output at 400 trainings" in str(result)


@pytest.mark.slow
def test_a_proved_suspect_is_not_tested_again() -> None:
    # Fails for a correct program with probability < 1e-6: at five times the claim about 30 of 100 trainings do.
    result = run_test(too_little, find_all=True)
    assert "trace_noise" in [one.detector for one in result.findings]
    assert {one.detector: one.why for one in result.skipped}["suspects_again"] == "every suspect was proved before"


@pytest.mark.slow
def test_without_a_suspect_no_share_is_taken() -> None:
    result = run_test(lambda data, rng: float(data.X.sum() + rng.laplace(scale=1.0)))
    why = {one.detector: one.why for one in result.skipped}
    assert why["suspects_again"] == why["trace_noise"] == "no suspect on 20 pairs: nothing to test"
