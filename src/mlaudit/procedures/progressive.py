"""Progressive nested scan: guess random labels block by block with a distinguisher learned on all earlier blocks."""

from dataclasses import dataclass

import numpy as np

from mlaudit.distinguish.projection import FRACTIONS, prefix_sizes, projected_bound
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
from mlaudit.statistics import nested_scan
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import quote, real, several, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding, GuessCounts, Witness
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Progressive:
    """Progressive nested scan: no threshold is chosen, both tails count, and so do 9 of 10 trainings.

    Under ε-DP a guess is correct with probability at most q = e^ε/(1+e^ε), whatever happened before. So the numbers
    of correct guesses in nested prefixes, the most confident first, are dominated by one Bernoulli(q) walk, whose
    exact scan p-value gives the bound. `burn_in` is the share of draws that are only learned from; by default 20
    draws for each coordinate, but 5 to 10 % of all. Where common seeds show that noise is simply added, it is 50
    draws, but 2 to 10 % of all. A guess may depend on all outputs, and on the labels of earlier draws only.

    >>> Progressive(burn_in=1.5)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: burn_in must be a number in (0, 1), got 1.5
    """

    classifiers: tuple[Classifier, ...] = PANEL
    burn_in: float | None = None
    blocks: int = 8
    fractions: tuple[float, ...] = FRACTIONS

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", check_classifiers(self.classifiers))
        if self.burn_in is not None:
            real("burn_in", self.burn_in, 0, 1)
        whole("blocks", self.blocks, 1)
        fractions = several("fractions", self.fractions, "growing shares that end with 1")
        object.__setattr__(self, "fractions", fractions)
        shares = [share for share in fractions if isinstance(share, int | float) and 0 < share <= 1]
        if len(shares) != len(fractions) or shares != sorted(shares) or shares[-1:] != [1]:
            raise InvalidInput(f"fractions must be growing shares that end with 1, got {quote(fractions)}")

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Guess the labels and bound ε by the nested scan."""
        steps = pair.steps(claim.relation)

        def project(scores: FloatArray, labels: IntArray, counted: int) -> float:
            leak = nested_scan.leak_probability(claim.epsilon, claim.delta, steps)
            return projected_bound(scores, labels, counted, alpha, leak, fractions=self.fractions)

        made = guess_progressively(draw, self.classifiers, self.burn_in, self.blocks, self._shares, project)
        return self._bound(made, claim, pair, alpha)

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Guess fresh labels with the scorer of an earlier finding."""
        made = guess_with_scorer(finding.witness.scorer, draw(draw.coins(draw.remaining)), self._shares)
        return self._bound(made, claim, pair, alpha)

    def pairs(self, trainings: int) -> int:
        """Pairs of trainings with common seeds to learn the shift from, at most."""
        return paired_trainings(self.classifiers, trainings)

    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        """The bound if every guess after a long burn-in is correct.

        >>> round(Progressive().ceiling(Claim(1.0), 2, 3200, 0.05), 2)
        3.43
        """
        guesses = prefix_sizes(int((1 - MOST_BURN_IN) * trainings), self._shares)
        return nested_scan.ceiling(guesses[guesses > 0], alpha, delta=claim.delta, steps=steps)

    @property
    def _shares(self) -> FloatArray:
        return np.asarray(self.fractions, dtype=float)

    def _bound(self, made: Guesses, claim: Claim, pair: Pair, alpha: float) -> Finding:
        steps, keep = pair.steps(claim.relation), made.guesses > 0
        correct, guesses = made.correct[keep], made.guesses[keep]
        found = nested_scan.lower_bound(correct, guesses, alpha, delta=claim.delta, steps=steps)
        # The scan's p-value is not quite monotone in ε. If it refutes a larger ε but not the claim itself, it is no
        # violation: a violation is always the test of the claimed ε.
        at_claim = nested_scan.pvalue(correct, guesses, claim.epsilon, delta=claim.delta, steps=steps)
        found = min(found, claim.epsilon) if at_claim > alpha else found
        top = nested_scan.ceiling(guesses, alpha, delta=claim.delta, steps=steps)
        counts = GuessCounts(tuple(correct.tolist()), tuple(guesses.tolist()))
        return Finding(Bound(found, top, alpha, steps, "nested scan"), counts, Witness(made.scorer), made.scores)
