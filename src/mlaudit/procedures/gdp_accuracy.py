"""Accuracy of guessed labels: a lower bound on μ of Gaussian DP, and from it on ε at the claimed δ."""

from dataclasses import dataclass

import numpy as np

from mlaudit.distinguish.projection import projected_bound
from mlaudit.errors import InvalidInput
from mlaudit.procedures._classifiers import PANEL, check_classifiers
from mlaudit.procedures._guessing import (
    MOST_BURN_IN,
    Guesses,
    guess_progressively,
    guess_with_scorer,
    paired_trainings,
)
from mlaudit.protocols import Classifier, Draw
from mlaudit.statistics import gaussian_dp
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import real, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding, GuessCounts, Witness
from mlaudit.types.pair import Pair

ALL = np.ones(1)


@dataclass(frozen=True)
class GdpAccuracy:
    """Guess every random label; under μ-GDP a guess is correct with probability at most Φ(μ/2).

    The number of correct guesses is one binomial, without a threshold. A bound refutes μ-Gaussian DP, not (ε, δ)-DP
    in general, so that only a Gaussian claim can be violated.
    """

    classifiers: tuple[Classifier, ...] = PANEL
    burn_in: float | None = None
    blocks: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", check_classifiers(self.classifiers))
        if self.burn_in is not None:
            real("burn_in", self.burn_in, 0, 1)
        whole("blocks", self.blocks, 1)

    def check_claim(self, claim: Claim) -> None:
        """Raise if the claim has δ = 0, for which Gaussian DP gives no ε."""
        if claim.delta == 0:
            raise InvalidInput("gdp_accuracy needs a claim with delta above 0, got 0; use progressive for pure ε-DP")

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Guess every label, bound μ, and convert it to ε at the claimed δ."""
        self.check_claim(claim)

        def project(scores: FloatArray, labels: IntArray, counted: int) -> float:
            return projected_bound(scores, labels, counted, alpha, fractions=(1.0,))

        made = guess_progressively(draw, self.classifiers, self.burn_in, self.blocks, ALL, project)
        return _bound(made, claim, pair, alpha)

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Guess fresh labels with the scorer of an earlier finding."""
        self.check_claim(claim)
        made = guess_with_scorer(finding.witness.scorer, draw(draw.coins(draw.remaining)), ALL)
        return _bound(made, claim, pair, alpha)

    def pairs(self, trainings: int) -> int:
        """Pairs of trainings with common seeds to learn the shift from, at most."""
        return paired_trainings(self.classifiers, trainings)

    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        """The bound if every guess after a long burn-in is correct.

        >>> round(GdpAccuracy().ceiling(Claim(1.0, 1e-5), 1, 2000, 0.05), 1)
        41.5
        """
        guesses = int((1 - MOST_BURN_IN) * trainings)
        mu = gaussian_dp.mu_lower_bound(guesses, guesses, alpha) / steps
        return float(gaussian_dp.epsilon_of(mu, claim.delta))


def _bound(made: Guesses, claim: Claim, pair: Pair, alpha: float) -> Finding:
    steps, correct, guesses = pair.steps(claim.relation), int(made.correct[0]), int(made.guesses[0])
    # k steps of μ-GDP are kμ-GDP.
    mu = gaussian_dp.mu_lower_bound([correct, guesses], [guesses, guesses], alpha) / steps
    found, top = gaussian_dp.epsilon_of(mu, claim.delta).tolist()
    bound = Bound(found, top, alpha, steps, "accuracy", assuming="Gaussian DP")
    return Finding(bound, GuessCounts((correct,), (guesses,)), Witness(made.scorer), made.scores)
