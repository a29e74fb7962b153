"""The first promise: no false alarm beyond α, shown on mechanisms whose ε is known exactly."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom
from validity import ALPHA, false_alarms

from mlaudit import Claim, Finding, GdpAccuracy, Pair, Progressive, Sequential, TwoPhase, Witness
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguisher import learn
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.randomised_response import RandomisedResponse
from mlaudit.protocols import Draw, Mechanism, Procedure
from mlaudit.thresholds import best_threshold

pytestmark = pytest.mark.statistical

AUDITS = 500
# A right procedure exceeds this many false alarms once in a thousand runs of this test.
MOST = int(binom.isf(1e-3, AUDITS, ALPHA))


@pytest.mark.parametrize("procedure", [Progressive, TwoPhase], ids=["progressive", "two_phase"])
@pytest.mark.parametrize(
    ("mechanism", "rows"),
    [(Laplace(1.0), (1, 2)), (RandomisedResponse(1.0), (1, 2)), (Gaussian(1.0, 1e-5), (1,))],
    ids=["laplace", "randomised_response", "gaussian"],
)
def test_bounds_exceed_the_truth_at_most_alpha_of_the_time(
    mechanism: Mechanism,
    rows: tuple[int, ...],
    procedure: Callable[[], Procedure],
    record_property: Callable[[str, object], None],
) -> None:
    found = false_alarms(mechanism, procedure(), rows, audits=AUDITS, trainings=600)
    record_property("false_alarms", found)
    assert found <= MOST


@pytest.mark.parametrize(
    "mechanism", [Laplace(1.0), RandomisedResponse(1.0), Gaussian(1.0, 1e-3)], ids=lambda m: type(m).__name__
)
def test_bets_may_be_looked_at_after_every_training(
    mechanism: Mechanism, record_property: Callable[[str, object], None]
) -> None:
    found = false_alarms(mechanism, Sequential(), (1,), audits=200, trainings=120)
    record_property("false_alarms", found)
    assert found <= int(binom.isf(1e-3, 200, ALPHA))


def test_gaussian_dp_reading_exceeds_the_truth_at_most_alpha_of_the_time(
    record_property: Callable[[str, object], None],
) -> None:
    found = false_alarms(Gaussian(1.0, 1e-5), GdpAccuracy((Logistic(),)), (1,), audits=AUDITS, trainings=600)
    record_property("false_alarms", found)
    assert found <= MOST


@dataclass(frozen=True)
class SameSample(TwoPhase):
    """The mistake that ruins a verdict: the threshold is counted on the draws that chose it."""

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        draws = draw(np.tile(np.array([1, 0]), draw.remaining // 2))
        scorer = learn(self.classifiers[0], draws).scorer
        scores = scorer(draws)
        threshold, complement = best_threshold(scores, draws.labels, self.interval, alpha, floor=self.floor)
        return self._count(scores, draws.labels, Witness(scorer, threshold, complement), claim, pair, alpha)


def test_this_test_catches_a_threshold_counted_on_its_own_sample() -> None:
    wrong = SameSample.as_in_the_paper()
    assert false_alarms(Laplace(1.0), wrong, (1,), audits=AUDITS, trainings=2000) > MOST
