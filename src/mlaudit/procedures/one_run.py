"""Audit with many canaries in one training run (Steinke, Nasr and Jagielski 2023): guess which were inserted."""

from dataclasses import dataclass, replace

import numpy as np

from mlaudit.classifiers._as_scored import AsScored
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguish.distinguisher import choose_classifier, learn
from mlaudit.errors import InvalidInput
from mlaudit.procedures._classifiers import check_classifiers
from mlaudit.procedures._scores import bin_scores
from mlaudit.protocols import Classifier, Draw
from mlaudit.statistics import one_run as one_run_guesses
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import real
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Bound, Finding, GuessCounts, Witness
from mlaudit.types.numbers import parameter
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class OneRun:
    """Guess that the canaries with the highest scores are in and those with the lowest are out; abstain on the rest.

    `share_in` and `share_out` are the shares of all canaries that are guessed in and out. They are fixed before the
    scores are known, as the bound requires. A tenth each is near the best for white-box canaries at every ε from 1
    to 8. The bound also holds if each draw is a training of its own, as in `mlaudit run`: then a classifier learns
    scores from the first `burn_in` of them. In `mlaudit one-run` the trainer scores its canaries itself.

    >>> OneRun(share_in=0.8, share_out=0.3)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: share_in and share_out must not exceed 1 together, got 0.8 and 0.3
    """

    share_in: float = 0.1
    share_out: float = 0.1
    classifiers: tuple[Classifier, ...] = (Logistic(), Boosting())
    burn_in: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", check_classifiers(self.classifiers))
        real("burn_in", self.burn_in, 0, 1)
        for name in ("share_in", "share_out"):
            real(name, getattr(self, name), 0, np.nextafter(1.0, 2.0), closed_low=True)
        if not 0 < self.share_in + self.share_out <= 1:
            wrong = "not exceed 1" if self.share_in else "not both be 0"
            given = f"{parameter(self.share_in)} and {parameter(self.share_out)}"
            raise InvalidInput(f"share_in and share_out must {wrong} together, got {given}")

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Learn scores from the first draws and guess among the others."""
        draws = draw(draw.coins(draw.remaining))
        first = max(1, int(self.burn_in * len(draws)))
        learned = learn(choose_classifier(self.classifiers, draws[:first]), draws[:first])
        finding = self.count(draws[first:], learned.scores(draws[first:]), claim, pair.steps(claim.relation), alpha)
        return replace(finding, witness=Witness(learned.scorer))

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Guess among fresh draws with the scorer of an earlier finding."""
        draws, rule = draw(draw.coins(draw.remaining)), finding.witness.scorer
        return replace(
            self.count(draws, rule(draws), claim, pair.steps(claim.relation), alpha), witness=finding.witness
        )

    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        """The bound if every guess after the burn-in is correct.

        >>> OneRun().ceiling(Claim(1.0), 1, 2000, 0.05) > 4
        True
        """
        canaries = trainings - int(self.burn_in * trainings)
        guesses = int((self.share_in + self.share_out) * canaries)
        return one_run_guesses.ceiling(guesses, canaries, alpha, delta=claim.delta, steps=steps)

    def count(self, draws: Draws, scores: FloatArray, claim: Claim, steps: int, alpha: float) -> Finding:
        """Return the bound from the scores of canaries; label 1 means that the canary was in."""
        canaries = len(draws)
        into, out = (int(share * canaries + 0.5) for share in (self.share_in, self.share_out))
        guesses = min(into + out, canaries)
        if guesses == 0:
            raise InvalidInput(f"there must be canaries to guess, got shares of {canaries} that come to none")
        correct = count_right_guesses(scores, draws.labels, into, guesses - into)
        found = one_run_guesses.lower_bound(correct, guesses, canaries, alpha, delta=claim.delta, steps=steps)
        top = one_run_guesses.ceiling(guesses, canaries, alpha, delta=claim.delta, steps=steps)
        counts = GuessCounts((correct,), (guesses,), canaries=canaries)
        bound = Bound(found, top, alpha, steps, "guesses in one run")
        return Finding(bound, counts, Witness(AsScored()), bin_scores(scores, draws.labels))


def count_right_guesses(scores: FloatArray, labels: IntArray, into: int, out: int) -> int:
    """Count correct guesses if the `into` highest scores are guessed in and the `out` lowest out; ties keep order.

    >>> count_right_guesses(np.array([3.0, 1.0, 2.0, 0.0]), np.array([1, 1, 0, 0]), into=2, out=1)
    2
    """
    order = np.argsort(scores, kind="stable")
    return int(labels[order[len(order) - into :]].sum() + (1 - labels[order[:out]]).sum())
