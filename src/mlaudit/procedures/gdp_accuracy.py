"""Random labels, all of them guessed: accuracy bounds μ of Gaussian DP, and with it ε at the claimed δ."""

from dataclasses import dataclass

import numpy as np

from mlaudit import gaussian_dp
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.errors import InvalidInput
from mlaudit.procedures._guessing import Guesses, guess_progressively, guess_with
from mlaudit.procedures._parts import classifiers_of
from mlaudit.protocols import Classifier, Draw
from mlaudit.types.checks import real, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding, GuessCounts, Witness
from mlaudit.types.pair import Pair

ALL = np.ones(1)


@dataclass(frozen=True)
class GdpAccuracy:
    """Under μ-GDP no guess is right more often than Φ(μ/2), so that accuracy bounds μ: one binomial, no threshold.

    It refutes μ-Gaussian DP, not (ε, δ)-DP in general: a violation is only called where the claim is Gaussian.
    """

    classifiers: tuple[Classifier, ...] = (Logistic(), Boosting())
    burn_in: float | None = None
    blocks: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", classifiers_of(self.classifiers))
        if self.burn_in is not None:
            real("burn_in", self.burn_in, 0, 1)
        whole("blocks", self.blocks, 1)

    def check_claim(self, claim: Claim) -> None:
        """Refuse a claim that this procedure says nothing about."""
        if claim.delta == 0:
            raise InvalidInput("gdp_accuracy needs a claim with delta above 0, got 0; use progressive for pure ε-DP")

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Guess every label, bound μ, read ε off its curve."""
        self.check_claim(claim)
        made = guess_progressively(draw, self.classifiers, self.burn_in, self.blocks, ALL)
        return _bound(made, claim, pair, alpha)

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Guess fresh labels by the earlier finding's rule."""
        self.check_claim(claim)
        made = guess_with(finding.witness.scorer, draw(draw.coins(draw.remaining)), ALL)
        return _bound(made, claim, pair, alpha)


def _bound(made: Guesses, claim: Claim, pair: Pair, alpha: float) -> Finding:
    steps, correct, guesses = pair.steps(claim.relation), int(made.correct[0]), int(made.guesses[0])
    # k steps of μ-GDP are kμ-GDP.
    mu = gaussian_dp.mu_lower([correct, guesses], [guesses, guesses], alpha) / steps
    found, top = gaussian_dp.epsilon_of(mu, claim.delta).tolist()
    bound = Bound(found, top, alpha, steps, "accuracy", assuming="Gaussian DP")
    return Finding(bound, GuessCounts((correct,), (guesses,)), Witness(made.scorer), made.scores)
