"""Algorithm 1 of the ML-Audit paper: search an output set S on some draws, confirm it on as many fresh ones."""

from dataclasses import dataclass, field

import numpy as np

from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguish.distinguisher import choose_classifier, learn, score_out_of_fold
from mlaudit.errors import InvalidInput
from mlaudit.intervals.exact import Exact
from mlaudit.intervals.katz_log import KatzLog
from mlaudit.naming.describe import name_of
from mlaudit.procedures._classifiers import check_classifiers
from mlaudit.procedures._scores import bin_scores
from mlaudit.protocols import Classifier, Draw, HasSearchInterval, Interval
from mlaudit.statistics.ceiling import ceiling
from mlaudit.statistics.group_privacy import epsilon_per_step
from mlaudit.statistics.thresholds import best_threshold, count_hits
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import flag, real, whole, with_methods
from mlaudit.types.claim import Claim
from mlaudit.types.finding import ArmCounts, Bound, Finding, Witness
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class TwoPhase:
    """N + N trainings to search an output set S and N + N fresh ones to confirm it; S is the witness.

    `floor` is the paper's r: sets with a smaller share of false hits are not considered. With `two_sided` the bound
    uses z_{α/2}, as in the paper; otherwise α is one-sided.

    >>> TwoPhase.as_in_the_paper().floor
    0.01
    """

    classifiers: tuple[Classifier, ...] = (Logistic(), Boosting())
    interval: Interval = field(default_factory=Exact)
    floor: float = 0.01
    folds: int = 5
    two_sided: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", check_classifiers(self.classifiers))
        with_methods("interval", self.interval, "an interval", ["log_ratio"], "as in interval=Exact()")
        flag("two_sided", self.two_sided)
        real("floor", self.floor, 0, 1, closed_low=True)
        whole("folds", self.folds, 2)

    @classmethod
    def as_in_the_paper(cls) -> "TwoPhase":
        """Logistic regression, Katz bound at z_{α/2}, r = 0.01."""
        return cls((Logistic(),), KatzLog(), two_sided=True)

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Search S on half of the trainings and count it on the other half."""
        arm = draw.remaining // 4
        if arm < self.folds:
            raise InvalidInput(f"two_phase needs at least {4 * self.folds} trainings, got {draw.remaining}")
        search = draw(_alternate_labels(arm))
        classifier = choose_classifier(self.classifiers, search)
        threshold, complement = best_threshold(
            score_out_of_fold(classifier, search, self.folds),
            search.labels,
            self.interval.search if isinstance(self.interval, HasSearchInterval) else self.interval,
            self._one_sided(alpha),
            floor=self.floor,
            delta=claim.delta,
            steps=pair.steps(claim.relation),
        )
        distinguisher = learn(classifier, search)
        fresh = draw(_alternate_labels(arm))
        witness = Witness(distinguisher.scorer, threshold, complement)
        return self._bound_hits(distinguisher.scores(fresh), fresh.labels, witness, claim, pair, alpha)

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Count S of an earlier finding on fresh trainings."""
        fresh = draw(_alternate_labels(draw.remaining // 2))
        scores = finding.witness.scorer(fresh)
        return self._bound_hits(scores, fresh.labels, finding.witness, claim, pair, alpha)

    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        """The bound if every training on one side is a hit, and none on the other.

        >>> round(TwoPhase().ceiling(Claim(1.0), 1, 2000, 0.05), 2)
        5.12
        """
        arm = trainings // 4
        return ceiling(self.interval, arm, arm, self._one_sided(alpha), claim.delta, steps)

    def _one_sided(self, alpha: float) -> float:
        return alpha / 2 if self.two_sided else alpha

    def _bound_hits(
        self, scores: FloatArray, labels: IntArray, witness: Witness, claim: Claim, pair: Pair, alpha: float
    ) -> Finding:
        if witness.threshold is None:
            raise InvalidInput("two_phase needs a witness with a threshold, got a guessing rule")
        steps, tail = pair.steps(claim.relation), self._one_sided(alpha)
        counts = ArmCounts(*count_hits(scores, labels, witness.threshold, complement=witness.complement))

        def log_ratio_at(shift: FloatArray | float) -> FloatArray:
            hits, false_hits = np.array(counts.hits), np.array(counts.false_hits)
            return self.interval.log_ratio(hits, false_hits, counts.trials, counts.false_trials, tail, shift)

        found = max(0.0, float(epsilon_per_step(log_ratio_at, claim.delta, steps)))
        top = ceiling(self.interval, counts.trials, counts.false_trials, tail, claim.delta, steps)
        method = name_of(self.interval) + (" at α/2" if self.two_sided else "")
        bound = Bound(found, top, alpha, steps, method)
        return Finding(bound, counts, witness, bin_scores(scores, labels))


def _alternate_labels(n: int) -> IntArray:
    """Return n labels of each dataset, alternating, so that an interrupted audit has both."""
    return np.tile(np.array([1, 0]), n)
