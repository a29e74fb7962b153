"""An anytime-valid audit by betting: a gross violation is refuted after tens of trainings instead of thousands."""

import time
from dataclasses import dataclass, field
from math import inf

import numpy as np
from scipy.special import softmax

from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.coordinate import Coordinate
from mlaudit.classifiers.logistic import Logistic
from mlaudit.classifiers.steps import Steps
from mlaudit.distinguish.distinguisher import learn
from mlaudit.distinguish.panel import PanelScorer, mix_prequentially, tempered_log_odds
from mlaudit.errors import InvalidInput
from mlaudit.procedures._classifiers import check_classifiers
from mlaudit.procedures._scores import bin_scores
from mlaudit.protocols import Classifier, Draw
from mlaudit.statistics.e_process import BettingMixture, log_wealth, pool_log_wealth
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.checks import positive, quote, whole
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws, join
from mlaudit.types.finding import Bets, Bound, Finding, Scorer, Witness
from mlaudit.types.pair import Pair

_FEWEST = 3  # draws of each label that a distinguisher learns from
_SMALLEST = 4  # trainings in a block
_ENOUGH = 60_000  # draws to learn from
PANEL: tuple[Classifier, ...] = (
    Logistic(0.1),
    Logistic(1.0),
    Logistic(10.0),
    Coordinate(),
    Steps(),
    Boosting(trees=30, learning_rate=0.2),
)


@dataclass(frozen=True)
class Sequential:
    """An e-process: a mixture of distinguishers, learned on all earlier blocks of random labels, bets on the next.

    It stops as soon as the wealth refutes `beyond` times the claimed ε, or when the budget ends; its error is at most
    α whenever it stops. The `first` trainings are used for learning only; each block makes the stream `growth` times
    as long. The default classifiers do not use the last bits of numbers, which distinguish almost every
    floating-point implementation (classifiers `Reachable` and `Grain` do). After `seconds` no further block starts;
    this is the only setting that makes a verdict depend on the machine.

    >>> Sequential(growth=0.9)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: growth must be above 1, got 0.9; 1.25 learns anew after every quarter more
    """

    classifiers: tuple[Classifier, ...] = PANEL
    first: int = 8
    growth: float = 1.25
    beyond: float = 1.0
    seconds: float = inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", check_classifiers(self.classifiers))
        whole("first", self.first, 2)
        positive("beyond", self.beyond)
        if self.seconds is not inf and not _is_above(self.seconds, 0):
            raise InvalidInput(f"seconds must be above 0, got {quote(self.seconds)}; leave it out for no limit")
        if not _is_above(self.growth, 1):
            raise InvalidInput(
                f"growth must be above 1, got {quote(self.growth)}; 1.25 learns anew after every quarter more"
            )

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Learn and bet block by block until the claim is refuted or the budget is spent."""
        budget = draw.remaining
        past = [] if draw.pilot is None else [draw.pilot]
        if not past:
            past.append(draw(draw.coins(min(self.first, budget))))
        learned = sum(map(len, past))
        ledger = _Ledger(claim, pair.steps(claim.relation), alpha, self.beyond)
        losses: FloatArray | None = None
        began = time.monotonic()
        while draw.remaining and not ledger.refuted:
            known = join(past)
            panel = [learn(classifier, known, _FEWEST) for classifier in self.classifiers]
            block = draw(draw.coins(self._block_size(len(known), draw.remaining)))
            log_odds = tempered_log_odds([member.scores(block) for member in panel], _max_log_odds(known))
            scores, losses = mix_prequentially(log_odds, block.labels, losses)
            ledger.bet(scores, block.labels)
            past.append(block)
            if time.monotonic() - began >= self.seconds:
                break
        rule = self._learn_mixture(join(past), losses)
        return ledger.finding(rule, learned, budget - (learned if draw.pilot is None else 0))

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Bet on fresh labels with the scorer of an earlier finding."""
        budget, spent = draw.remaining, 0
        ledger = _Ledger(claim, pair.steps(claim.relation), alpha, self.beyond)
        while draw.remaining and not ledger.refuted:
            block = draw(draw.coins(self._block_size(max(spent, self.first), draw.remaining)))
            ledger.bet(finding.witness.scorer(block), block.labels)
            spent += len(block)
        return ledger.finding(finding.witness.scorer, 0, budget)

    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        """The bound if every bet is sure and right.

        >>> Sequential().ceiling(Claim(1.0), 1, 400, 0.05) > Sequential().ceiling(Claim(1.0), 2, 400, 0.05)
        True
        """
        return BettingMixture(claim.epsilon, claim.delta, steps).ceiling(trainings, alpha)

    def _block_size(self, known: int, remaining: int) -> int:
        return min(max(int(self.growth * known) - known, _SMALLEST), remaining)

    def _learn_mixture(self, known: Draws, losses: FloatArray | None) -> PanelScorer:
        """Learn the mixture for the next draws."""
        members = tuple(learn(classifier, known, _FEWEST).scorer for classifier in self.classifiers)
        width = tempered_log_odds([np.zeros(1)] * len(members), 1.0).shape[1]
        weights = np.asarray(softmax(-(np.zeros(width) if losses is None else losses)))
        return PanelScorer(members, weights, _max_log_odds(known))


def _is_above(value: object, low: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > low


def _max_log_odds(known: Draws) -> float:
    """Cap the log-odds at ln(n + 1) after n draws."""
    return float(np.log(len(known) + 1))


@dataclass
class _Ledger:
    """All guesses so far, the log-wealth of each betting strategy, and whether the claim is refuted."""

    claim: Claim
    steps: int
    alpha: float
    beyond: float
    log_wealths: FloatArray | float = 0.0
    refuted: bool = False
    scores: list[FloatArray] = field(default_factory=list)
    labels: list[IntArray] = field(default_factory=list)

    @property
    def mixture(self) -> BettingMixture:
        return BettingMixture(self.claim.epsilon, self.claim.delta, self.steps)

    def bet(self, scores: FloatArray, labels: IntArray) -> None:
        """Bet on one block of guesses; the claim is refuted if the wealth reached 1/α at any time."""
        target = self.beyond * self.claim.epsilon
        growth = self.mixture.log_growth(np.abs(scores), _is_right(scores, labels), target)
        log_wealths = self.log_wealths + np.cumsum(growth, axis=1)
        self.log_wealths = log_wealths[:, -1:]
        self.refuted = bool(pool_log_wealth(log_wealths).max() >= -np.log(self.alpha))
        self.scores.append(scores)
        self.labels.append(labels)

    def finding(self, rule: Scorer, learned: int, budget: int) -> Finding:
        """Return the bound, and the largest bound that `budget` bets could give."""
        scores, labels = np.concatenate(self.scores), np.concatenate(self.labels)
        bets = Bets(np.abs(scores), _is_right(scores, labels), learned)
        lower = self.mixture.lower_bound(bets.sureness, bets.right, self.alpha)
        # A violation is always the test of the claimed ε itself; rounding or the fee for δ may move the bound.
        claimed = self.claim.epsilon
        violated = log_wealth(bets, self.claim, self.steps).max() >= -np.log(self.alpha)
        lower = max(lower, float(np.nextafter(claimed, np.inf))) if violated else min(lower, claimed)
        top = max(lower, self.mixture.ceiling(budget, self.alpha))
        bound = Bound(lower, top, self.alpha, self.steps, "e-process")
        return Finding(bound, bets, Witness(rule), bin_scores(scores, labels))


def _is_right(scores: FloatArray, labels: IntArray) -> BoolArray:
    return np.asarray((scores > 0) == (labels == 1))
