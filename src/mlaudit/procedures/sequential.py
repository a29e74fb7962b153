"""Bets that may stop at any time: a gross violation shows in tens of trainings instead of thousands."""

import time
from dataclasses import dataclass, field
from math import inf

import numpy as np
from scipy.special import softmax

from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.coordinate import Coordinate
from mlaudit.classifiers.logistic import Logistic
from mlaudit.classifiers.steps import Steps
from mlaudit.distinguisher import learn
from mlaudit.e_process import Bettors, together, winnings
from mlaudit.errors import InvalidInput
from mlaudit.panel import PanelScorer, foretold, opinions
from mlaudit.procedures._parts import classifiers_of
from mlaudit.procedures._scores import score_counts
from mlaudit.protocols import Classifier, Draw
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.checks import positive, shown, whole
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws, join
from mlaudit.types.finding import Bets, Bound, Finding, Scorer, Witness
from mlaudit.types.pair import Pair

_FEWEST = 3  # draws of each label that a distinguisher learns from
_SMALLEST = 4  # trainings of a block
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
    """An e-process: after every block of random labels a panel learned on all earlier ones bets on the next.

    It stops as soon as the wealth won refutes `beyond` times the claimed ε, or when the budget ends; the error is α
    whenever it stops. `first` trainings are only learned from; each block makes the stream `growth` times as long.
    The default panel does not look at the last bits of numbers, by which almost every floating-point implementation
    can be told (classifiers `Reachable` and `Grain`). After `seconds` no further block is begun: the only setting
    that makes a verdict depend on the machine.

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
        object.__setattr__(self, "classifiers", classifiers_of(self.classifiers))
        whole("first", self.first, 2)
        positive("beyond", self.beyond)
        if self.seconds is not inf and not _above(self.seconds, 0):
            raise InvalidInput(f"seconds must be above 0, got {shown(self.seconds)}; leave it out for no limit")
        if not _above(self.growth, 1):
            raise InvalidInput(
                f"growth must be above 1, got {shown(self.growth)}; 1.25 learns anew after every quarter more"
            )

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Learn, bet, and learn again, until the claim is refuted or the budget is spent."""
        budget = draw.remaining
        past = [] if draw.pilot is None else [draw.pilot]
        if not past:
            past.append(draw(draw.coins(min(self.first, budget))))
        learned = sum(map(len, past))
        table = _Table(claim, pair.steps(claim.relation), alpha, self.beyond)
        losses: FloatArray | None = None
        began = time.monotonic()
        while draw.remaining and not table.closed:
            known = join(past)
            panel = [learn(classifier, known, _FEWEST) for classifier in self.classifiers]
            block = draw(draw.coins(self._next(len(known), draw.remaining)))
            said = opinions([member.scores(block) for member in panel], _limit(known))
            scores, losses = foretold(said, block.labels, losses)
            table.bet(scores, block.labels)
            past.append(block)
            if time.monotonic() - began >= self.seconds:
                break
        rule = self._rule(join(past), losses)
        return table.finding(rule, learned, budget - (learned if draw.pilot is None else 0))

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Bet on fresh labels by the earlier finding's rule."""
        budget, spent = draw.remaining, 0
        table = _Table(claim, pair.steps(claim.relation), alpha, self.beyond)
        while draw.remaining and not table.closed:
            block = draw(draw.coins(self._next(max(spent, self.first), draw.remaining)))
            table.bet(finding.witness.scorer(block), block.labels)
            spent += len(block)
        return table.finding(finding.witness.scorer, 0, budget)

    def _next(self, known: int, remaining: int) -> int:
        return min(max(int(self.growth * known) - known, _SMALLEST), remaining)

    def _rule(self, known: Draws, losses: FloatArray | None) -> PanelScorer:
        """What the panel would guess by next."""
        members = tuple(learn(classifier, known, _FEWEST).scorer for classifier in self.classifiers)
        width = opinions([np.zeros(1)] * len(members), 1.0).shape[1]
        weights = np.asarray(softmax(-(np.zeros(width) if losses is None else losses)))
        return PanelScorer(members, weights, _limit(known))


def _above(value: object, low: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > low


def _limit(known: Draws) -> float:
    """Nobody who has seen n draws is surer than n to 1."""
    return float(np.log(len(known) + 1))


@dataclass
class _Table:
    """Where bets are placed: every guess so far, each bettor's wealth, and whether enough was won."""

    claim: Claim
    steps: int
    alpha: float
    beyond: float
    own: FloatArray | float = 0.0
    closed: bool = False
    scores: list[FloatArray] = field(default_factory=list)
    labels: list[IntArray] = field(default_factory=list)

    @property
    def bettors(self) -> Bettors:
        return Bettors(self.claim.epsilon, self.claim.delta, self.steps)

    def bet(self, scores: FloatArray, labels: IntArray) -> None:
        """Bet on one block of guesses; the table closes when the wealth has been enough at any time."""
        target = self.beyond * self.claim.epsilon
        own = self.own + np.cumsum(self.bettors.growth(np.abs(scores), _right(scores, labels), target), axis=1)
        self.own, self.closed = own[:, -1:], bool(together(own).max() >= -np.log(self.alpha))
        self.scores.append(scores)
        self.labels.append(labels)

    def finding(self, rule: Scorer, learned: int, budget: int) -> Finding:
        """What was won, and what could have been won of `budget` bets."""
        scores, labels = np.concatenate(self.scores), np.concatenate(self.labels)
        bets = Bets(np.abs(scores), _right(scores, labels), learned)
        shown = self.bettors.shown(bets.sureness, bets.right, self.alpha)
        # A violation is always the plain test of the claimed ε, whatever rounding or the fee for δ does to the bound.
        claimed = self.claim.epsilon
        won = winnings(bets, self.claim, self.steps).max() >= -np.log(self.alpha)
        shown = max(shown, float(np.nextafter(claimed, np.inf))) if won else min(shown, claimed)
        top = max(shown, self.bettors.ceiling(budget, self.alpha))
        bound = Bound(shown, top, self.alpha, self.steps, "e-process")
        return Finding(bound, bets, Witness(rule), score_counts(scores, labels))


def _right(scores: FloatArray, labels: IntArray) -> BoolArray:
    return np.asarray((scores > 0) == (labels == 1))
