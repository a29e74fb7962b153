"""A betting e-process: evidence against a claim that may be checked after every training.

Labels are fair coins. Under (ε, δ)-DP any rule that is fixed before the training guesses so that
P(right) ≤ e^ε P(wrong) + δ, even if it abstains on some outputs or stakes more on others. The wealth from bets on
such guesses then ever reaches 1/α with probability at most α (Ville's inequality). The claim is refuted as soon as it
does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

from mlaudit.statistics.roots import largest_refuted
from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bets

_MULTIPLES = np.array([0.5, 1.0, 2.0])  # of the claim: what the Kelly strategies bet against
# The other strategies stake a constant share on every guess that is surer than a multiple of the claim: scores of few
# draws rank outputs well before they are well scaled. The share is right if the true ε is a multiple of the claim.
_SURER = np.repeat([0.75, 1.0], 5)
_TRUE = np.tile([1.15, 1.3, 1.6, 2.2, 4.0], 2)
_CONSTANT = np.array([0.1, 0.3, 0.6, 0.9])  # stakes on every guess, whatever its score
# Initial wealth: most for the strategies that find an excess of a tenth to a half, which takes most trainings.
_WEALTH = np.concatenate([[0.05, 0.3, 0.05], np.full(10, 0.045), np.full(4, 0.0375)])
_RESERVE = 1e-6  # share that is never staked: otherwise one wrong guess would leave a strategy with nothing
_SURE = 700.0  # log-odds
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class BettingMixture:
    """A mixture of betting strategies against a claim of (ε, δ) a step; its initial wealth is 1.

    The datasets are `steps` apart. Stakes depend on the claim and on the scores, never on the ε under test. So the
    wealth falls as that ε rises (up to the fee for δ), and a bound can be read off it.
    """

    epsilon: float
    delta: float = 0.0
    steps: int = 1

    def stakes(self, sureness: FloatArray) -> FloatArray:
        """Return the share of its wealth that each strategy (row) stakes on each guess; a score of 0 is no guess.

        A Kelly strategy stakes the share that makes its wealth grow fastest against a multiple of the claim, and
        nothing if a guess is no surer than that multiple allows. The others stake a share that does not depend on how
        sure a guess is, as long as it is sure enough.

        >>> BettingMixture(1.0).stakes(np.array([0.0, 0.8, 1.1, 3.0])).round(2)[[1, 4, 9, -1]]
        array([[0.  , 0.  , 0.07, 0.82],
               [0.  , 0.2 , 0.2 , 0.2 ],
               [0.  , 0.  , 0.2 , 0.2 ],
               [0.  , 0.9 , 0.9 , 0.9 ]])
        """
        claimed = self.steps * self.epsilon
        kelly = _kelly(sureness, claimed * _MULTIPLES[:, None])
        excess = np.where(sureness > claimed * _SURER[:, None], _kelly(claimed * _TRUE, claimed)[:, None], 0.0)
        constant = np.where(sureness > 0.0, _CONSTANT[:, None], 0.0)
        return np.vstack([kelly, excess, constant]) * self._largest_stake

    def log_growth(self, sureness: FloatArray, right: BoolArray, epsilon: float) -> FloatArray:
        """Return the log of the factor by which each guess multiplies each strategy's wealth, tested against ε.

        All the outputs that δ reveals may be among the guesses with the largest stake; the fee covers that case.

        >>> BettingMixture(1.0).log_growth(np.full(2, 9.0), np.array([True, False]), 0.0).round(3)[-1]
        array([ 0.642, -2.303])
        """
        share, total = self.stakes(sureness), self.steps * epsilon
        gain = np.where(right, share * np.exp(-total), -share)
        return np.log1p(gain - self._fee(epsilon) * self._largest_stake * self._highest[:, None])

    def log_wealth(self, sureness: FloatArray, right: BoolArray, epsilon: float) -> FloatArray:
        """Return the log of the total wealth after each guess, tested against ε.

        >>> sure = np.full(12, 5.0)
        >>> BettingMixture(1.0).log_wealth(sure, sure > 0, 1.0).round(1)[[0, 5, 11]]
        array([0.2, 1.4, 3.1])
        """
        return pool_log_wealth(np.cumsum(self.log_growth(sureness, right, epsilon), axis=1))

    def lower_bound(self, sureness: FloatArray, right: BoolArray, alpha: float) -> float:
        """Return the anytime-valid lower bound: every ε below it was refuted at some time; 0 if none was.

        >>> sure = np.full(50, 5.0)
        >>> BettingMixture(1.0).lower_bound(sure, sure > 0, 0.05) > 1.5
        True
        """

        def highest(epsilon: float) -> float:
            return float(self.log_wealth(sureness, right, epsilon).max(initial=0.0))

        return self._largest_refuted(highest, alpha)

    def ceiling(self, guesses: int, alpha: float) -> float:
        """Return the largest value of `lower_bound` for that many guesses: all right and sure.

        >>> BettingMixture(1.0).ceiling(50, 0.05) > BettingMixture(1.0).ceiling(20, 0.05) > 1
        True
        """

        def highest(epsilon: float) -> float:
            return float(pool_log_wealth(guesses * self.log_growth(np.array([_SURE]), np.array([True]), epsilon))[0])

        return self._largest_refuted(highest, alpha)

    def _largest_refuted(self, highest_log_wealth: Callable[[float], float], alpha: float) -> float:
        enough = -float(np.log(alpha))
        return largest_refuted(
            lambda epsilon: highest_log_wealth(epsilon) >= enough, self.epsilon, tolerance=_TOLERANCE
        )

    @property
    def _largest_stake(self) -> float:
        """The stake at which a wrong guess and the fee for δ together leave something."""
        return (1.0 - _RESERVE) / (1.0 + self.steps * self.delta)

    @property
    def _highest(self) -> FloatArray:
        """The largest share that each strategy ever stakes."""
        claimed = self.steps * self.epsilon
        return np.concatenate([np.ones(len(_MULTIPLES)), _kelly(claimed * _TRUE, claimed), _CONSTANT])

    def _fee(self, epsilon: float) -> float:
        """Return δ_k e^{−kε}, the cost of δ for each unit of stake; at most kδ."""
        if self.delta == 0.0 or epsilon == 0.0:
            return self.steps * self.delta
        return self.delta * float(np.expm1(-self.steps * epsilon) / np.expm1(-epsilon) * np.exp(-epsilon))


def _kelly(sureness: FloatArray, against: FloatArray | float) -> FloatArray:
    """Return the share of the wealth to stake on guesses so sure, against a privacy loss; 0 for those less sure."""
    return np.clip(1.0 - expit(-sureness) * (1.0 + np.exp(np.minimum(against, _SURE))), 0.0, 1.0)


def log_wealth(bets: Bets, claim: Claim, steps: int) -> FloatArray:
    """Return the log of the wealth against the claim itself after each bet; e^−maximum is a p-value.

    >>> log_wealth(Bets(np.full(3, 9.0), np.full(3, True)), Claim(1.0), 1).round(2)
    array([0.22, 0.45, 0.7 ])
    """
    mixture = BettingMixture(claim.epsilon, claim.delta, steps)
    return mixture.log_wealth(bets.sureness, bets.right, claim.epsilon)


def pool_log_wealth(own: FloatArray) -> FloatArray:
    """Return the log of the total wealth from that of each strategy (row).

    >>> bool(abs(pool_log_wealth(np.zeros((17, 1)))[0]) < 1e-9)
    True
    """
    return np.asarray(logsumexp(own, axis=0, b=_WEALTH[:, None]))
