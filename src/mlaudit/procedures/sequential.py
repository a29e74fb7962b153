"""An anytime-valid audit by betting: a gross violation is refuted after tens of trainings instead of thousands."""

import time
from dataclasses import dataclass, field
from math import inf

import numpy as np

from mlaudit.classifiers.additive import Additive
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.coordinate import Coordinate
from mlaudit.classifiers.logistic import Logistic
from mlaudit.classifiers.steps import Steps
from mlaudit.errors import InvalidInput
from mlaudit.procedures._classifiers import check_classifiers
from mlaudit.procedures._mixture import Mixture
from mlaudit.procedures._scores import bin_scores
from mlaudit.protocols import Classifier, Draw, LearnsShift
from mlaudit.statistics.e_process import BettingMixture, log_wealth, pool_log_wealth
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.checks import positive, quote, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bets, Bound, Finding, Scorer, Witness
from mlaudit.types.pair import Pair

_SMALLEST = 4  # trainings in a block
_PATIENCE = 45  # trainings that a gross violation takes; after them, pairs with common seeds are worth their cost
_PAIRS = 2, 6  # two show whether noise is simply added; if it is not, more show the shift
PANEL: tuple[Classifier, ...] = (
    Additive(),
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
    as long. After the first bets, a few pairs of trainings with common seeds show the shift. The default classifiers
    do not use the last bits of numbers, which distinguish almost every floating-point implementation (classifiers
    `Reachable` and `Grain` do). After `seconds` no further block starts; this is the only setting that makes a
    verdict depend on the machine.

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
        budget, pilot = draw.remaining, draw.pilot
        mixture = Mixture(self.classifiers, draw(draw.coins(min(self.first, budget))) if pilot is None else pilot)
        ledger = _Ledger(claim, pair.steps(claim.relation), alpha, self.beyond)
        began, bets, patient = time.monotonic(), 0, True
        while draw.remaining and not ledger.refuted:
            if patient and mixture.can_use_shift and len(mixture) >= _PATIENCE:
                patient = False
                _learn_shift(draw, mixture)
            block = draw(draw.coins(self._block_size(len(mixture), draw.remaining)))
            ledger.bet(mixture.guess(block), block.labels)
            bets += len(block)
            if time.monotonic() - began >= self.seconds:
                break
        learned = (0 if pilot is None else len(pilot)) + budget - draw.remaining - bets
        return ledger.finding(mixture.scorer, learned, bets + draw.remaining)

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


def _is_above(value: object, low: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > low


def _learn_shift(draw: Draw, mixture: Mixture) -> None:
    """Let the mixture know the shift, if common seeds show it."""
    if not isinstance(draw, LearnsShift):
        return
    for pairs in _PAIRS:
        draw.learn_shift(pairs)
        if draw.shift is not None and not draw.shift.spread.any():
            break
    if draw.shift is not None:
        mixture.know_shift(draw.shift)


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
