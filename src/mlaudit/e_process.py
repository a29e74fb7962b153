"""Evidence that may be looked at after every training: bets on guesses that privacy makes fair or worse.

Labels are fair coins. Under (ε, δ)-DP any rule fixed before the training has P(right) ≤ e^ε P(wrong) + δ, also when
it guesses on some outputs only, or stakes more on some of them. So the wealth of whoever bets on the guesses ever
reaches 1/α with probability at most α (Ville), and a claim is refuted as soon as it does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bets

_AGAINST = np.array([0.25, 0.5, 1.0, 2.0])  # multiples of the claim that believers in the scores bet against
_SAME = np.geomspace(0.02, 0.98, 8)  # of what they own, others stake on every guess: scores may be badly scaled
# Of the wealth at the beginning most goes to whoever bets against the claim itself, as it is to be refuted.
_SHARES = np.append([0.05, 0.15, 0.5, 0.1], np.full(8, 0.2 / 8))
_HIGHEST = np.append(np.ones(4), _SAME)
_KEPT_BACK = 1e-6  # or one mistake would end a bettor for good
_SURE = 700.0  # log-odds
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Bettors:
    """Bettors against the claim of (ε, δ) a step, on datasets `steps` apart; their wealth together starts at 1.

    What they stake depends on the claim and the scores alone, never on the ε they are held against afterwards, so
    that their wealth falls as that ε rises (but for the fee for δ), and a bound can be read off it.
    """

    epsilon: float
    delta: float = 0.0
    steps: int = 1

    def stakes(self, sureness: FloatArray) -> FloatArray:
        """The share of its wealth that each bettor (row) stakes on each guess; a score of 0 is no guess.

        A believer stakes what lets its wealth grow fastest against a multiple of the claim (Kelly), and nothing where
        a guess is no surer than that multiple allows.

        >>> Bettors(1.0).stakes(np.array([0.0, 0.5, 3.0])).round(2)[2:5]
        array([[0.  , 0.  , 0.82],
               [0.  , 0.  , 0.6 ],
               [0.  , 0.02, 0.02]])
        """
        against = np.minimum(self.steps * self.epsilon * _AGAINST, 700.0)
        kelly = 1.0 - expit(-sureness) * (1.0 + np.exp(against))[:, None]
        same = np.where(sureness > 0.0, _SAME[:, None], 0.0)
        return np.vstack([np.clip(kelly, 0.0, 1.0), same]) * self._most

    def growth(self, sureness: FloatArray, right: BoolArray, epsilon: float) -> FloatArray:
        """The logarithm of what each guess multiplies each bettor's wealth by, held against (ε, δ) a step.

        What δ gives away may all be among the guesses on which a bettor stakes most: that is what it pays for.

        >>> Bettors(1.0).growth(np.full(2, 9.0), np.array([True, False]), 0.0).round(3)[-1]
        array([ 0.683, -3.912])
        """
        share, total = self.stakes(sureness), self.steps * epsilon
        gain = np.where(right, share * np.exp(-total), -share)
        return np.log1p(gain - self._fee(epsilon) * self._most * _HIGHEST[:, None])

    def path(self, sureness: FloatArray, right: BoolArray, epsilon: float) -> FloatArray:
        """The logarithm of all their wealth after each guess, held against (ε, δ) a step.

        >>> sure = np.full(12, 5.0)
        >>> Bettors(1.0).path(sure, sure > 0, 1.0).round(1)[[0, 5, 11]]
        array([0.3, 1.7, 3.5])
        """
        return together(np.cumsum(self.growth(sureness, right, epsilon), axis=1))

    def shown(self, sureness: FloatArray, right: BoolArray, alpha: float) -> float:
        """The anytime-valid lower bound: every ε below it was refuted at some time; 0 when none was.

        >>> sure = np.full(50, 5.0)
        >>> Bettors(1.0).shown(sure, sure > 0, 0.05) > 1.5
        True
        """

        def wealth(epsilon: float) -> float:
            return float(self.path(sureness, right, epsilon).max(initial=0.0))

        return self._refuted_below(wealth, alpha)

    def ceiling(self, guesses: int, alpha: float) -> float:
        """The highest bound that so many guesses can show: all of them right, and sure.

        >>> Bettors(1.0).ceiling(50, 0.05) > Bettors(1.0).ceiling(20, 0.05) > 1
        True
        """

        def wealth(epsilon: float) -> float:
            return float(together(guesses * self.growth(np.array([_SURE]), np.array([True]), epsilon))[0])

        return self._refuted_below(wealth, alpha)

    def _refuted_below(self, wealth: Callable[[float], float], alpha: float) -> float:
        enough = -float(np.log(alpha))
        if wealth(0.0) < enough:
            return 0.0
        low, high = 0.0, self.epsilon
        while wealth(high) >= enough:
            low, high = high, 2.0 * high
        while high - low > _TOLERANCE * max(1.0, high):
            middle = (low + high) / 2.0
            low, high = (middle, high) if wealth(middle) >= enough else (low, middle)
        return low

    @property
    def _most(self) -> float:
        """A mistake on the highest stake and the fee for δ leave something."""
        return (1.0 - _KEPT_BACK) / (1.0 + self.steps * self.delta)

    def _fee(self, epsilon: float) -> float:
        """δ_k e^{−kε}: what δ costs for each unit of stake. At most kδ."""
        if self.delta == 0.0 or epsilon == 0.0:
            return self.steps * self.delta
        return self.delta * float(np.expm1(-self.steps * epsilon) / np.expm1(-epsilon) * np.exp(-epsilon))


def winnings(bets: Bets, claim: Claim, steps: int) -> FloatArray:
    """The logarithm of the wealth against the claim itself, after each bet; e to the minus its highest is a p-value.

    >>> winnings(Bets(np.full(3, 9.0), np.full(3, True)), Claim(1.0), 1).round(2)
    array([0.27, 0.56, 0.84])
    """
    return Bettors(claim.epsilon, claim.delta, steps).path(bets.sureness, bets.right, claim.epsilon)


def together(own: FloatArray) -> FloatArray:
    """The logarithm of all bettors' wealth, from that of each one's (rows).

    >>> float(together(np.zeros((12, 1)))[0].round(9))
    0.0
    """
    return np.asarray(logsumexp(own, axis=0, b=_SHARES[:, None]))
