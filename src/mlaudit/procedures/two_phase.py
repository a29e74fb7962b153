"""The paper's Algorithm 1: search an output set S on some draws, confirm it on as many fresh ones."""

from dataclasses import dataclass, field

import numpy as np

from mlaudit.ceilings import ceiling
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.describe import name_of
from mlaudit.distinguisher import choose_classifier, learn, out_of_fold
from mlaudit.errors import InvalidInput
from mlaudit.intervals.exact import Exact
from mlaudit.intervals.katz_log import KatzLog
from mlaudit.privacy import per_step
from mlaudit.procedures._parts import classifiers_of
from mlaudit.procedures._scores import score_counts
from mlaudit.protocols import Classifier, Draw, Interval
from mlaudit.thresholds import best_threshold, count_hits
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import flag, having, real, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import ArmCounts, Bound, Finding, Witness
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class TwoPhase:
    """N + N trainings to search S and N + N fresh ones to confirm it: an explicit set as witness.

    `floor` is the paper's r: sets with a smaller share of false hits are not considered. `two_sided` takes z_{α/2},
    as the paper does; α is one-sided otherwise.

    >>> TwoPhase.as_in_the_paper().floor
    0.01
    """

    classifiers: tuple[Classifier, ...] = (Logistic(), Boosting())
    interval: Interval = field(default_factory=Exact)
    floor: float = 0.01
    folds: int = 5
    two_sided: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", classifiers_of(self.classifiers))
        having("interval", self.interval, "an interval", ["log_ratio"], "as in interval=Exact()")
        flag("two_sided", self.two_sided)
        real("floor", self.floor, 0, 1, closed_low=True)
        whole("folds", self.folds, 2)

    @classmethod
    def as_in_the_paper(cls) -> "TwoPhase":
        """Logistic regression, Katz bound at z_{α/2}, r = 0.01."""
        return cls((Logistic(),), KatzLog(), two_sided=True)

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Search, then confirm."""
        arm = draw.remaining // 4
        if arm < self.folds:
            raise InvalidInput(f"two_phase needs at least {4 * self.folds} trainings, got {draw.remaining}")
        search = draw(_both_arms(arm))
        classifier = choose_classifier(self.classifiers, search)
        threshold, complement = best_threshold(
            out_of_fold(classifier, search, self.folds),
            search.labels,
            getattr(self.interval, "search", self.interval),
            self._tail(alpha),
            floor=self.floor,
            delta=claim.delta,
            steps=pair.steps(claim.relation),
        )
        distinguisher = learn(classifier, search)
        fresh = draw(_both_arms(arm))
        witness = Witness(distinguisher.scorer, threshold, complement)
        return self._count(distinguisher.scores(fresh), fresh.labels, witness, claim, pair, alpha)

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Count the earlier finding's S on fresh trainings."""
        fresh = draw(_both_arms(draw.remaining // 2))
        scores = finding.witness.scorer(fresh)
        return self._count(scores, fresh.labels, finding.witness, claim, pair, alpha)

    def _tail(self, alpha: float) -> float:
        return alpha / 2 if self.two_sided else alpha

    def _count(
        self, scores: FloatArray, labels: IntArray, witness: Witness, claim: Claim, pair: Pair, alpha: float
    ) -> Finding:
        if witness.threshold is None:
            raise InvalidInput("two_phase needs a witness with a threshold, got a guessing rule")
        steps, tail = pair.steps(claim.relation), self._tail(alpha)
        counts = ArmCounts(*count_hits(scores, labels, witness.threshold, complement=witness.complement))

        def log_ratio_at(shift: FloatArray | float) -> FloatArray:
            hits, false_hits = np.array(counts.hits), np.array(counts.false_hits)
            return self.interval.log_ratio(hits, false_hits, counts.trials, counts.false_trials, tail, shift)

        found = max(0.0, float(per_step(log_ratio_at, claim.delta, steps)))
        top = ceiling(self.interval, counts.trials, counts.false_trials, tail, claim.delta, steps)
        method = name_of(self.interval) + (" at α/2" if self.two_sided else "")
        bound = Bound(found, top, alpha, steps, method)
        return Finding(bound, counts, witness, score_counts(scores, labels))


def _both_arms(n: int) -> IntArray:
    """N trainings of each arm, alternating, so that a kill leaves both."""
    return np.tile(np.array([1, 0]), n)
