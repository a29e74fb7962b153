"""Choosing the pair (attack and rows) on pilot draws that never count."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, logit

from mlaudit import nested_scan
from mlaudit.candidates import Candidate
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguisher import leading, log_loss, out_of_fold
from mlaudit.errors import InvalidInput
from mlaudit.procedures._guessing import look_sizes, most_confident_first
from mlaudit.procedures.progressive import FRACTIONS
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws

_FAIR = 100  # trainings of each arm below which nothing is thrown out early
_FOLDS = 2
_CLASSIFIERS = (Logistic(), Boosting(trees=30, learning_rate=0.2))  # a pilot is small, and there are many
_PER_LOOK = 7.0  # a scan over 13 looks costs about as much as a seventh of alpha at the best look
_SMALLEST = 30  # guesses below which a share's accuracy is not believed at all


@dataclass(frozen=True)
class Terms:
    """How a pair is chosen: on what `share` of all trainings, and how sure it must be.

    The winner's pilot draws also train its first distinguisher. The first attack is its author's first choice, and
    pilots are small: another must promise clearly more, by `doubt`. `caution` is the quantile of an accuracy's
    posterior that is believed: small shares must not win by luck.
    """

    share: float = 0.1
    doubt: float = 0.9
    caution: float = 0.05


MANY = 4000  # pilots of a search with which it can choose by what they promise


def searched_terms(pilots: int, share: float) -> Terms:
    """A search's finalists have no author, and of many pilots a rare output may be what tells.

    Of few, the order in which the search ranked them says more than what they promise.
    """
    return Terms(share, doubt=0.95, caution=0.25) if pilots >= MANY else Terms(share, doubt=0.8)


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen candidate, its pilot draws, and what choosing cost."""

    candidate: Candidate
    draws: Draws
    spent: int


def rounds_of(trainings: int, candidates: int, arms: int, share: float = Terms.share) -> int:
    """In how many rounds the pilot halves the field: as often as it takes, while an arm still gets a fair look.

    >>> rounds_of(40_000, 8, 9), rounds_of(4000, 8, 9), rounds_of(40_000, 2, 3)
    (3, 1, 1)
    """
    most = max(1, math.ceil(math.log2(candidates)))
    return next((r for r in range(most, 1, -1) if share * trainings / r / arms >= _FAIR), 1)


def choose_pair(
    candidates: Sequence[Candidate],
    arms: Callable[[Candidate], Iterable[str]],
    pilot: Callable[[Candidate, int], Draws],
    claim: Claim,
    trainings: int,
    alpha: float,
    terms: Terms = Terms(),  # noqa: B008 - frozen
) -> Choice:
    """The candidate whose pilot promises the highest bound on ε, by successive halving.

    `pilot` gives the first so many trainings of each arm; an arm that several candidates share is trained once.
    """
    spent: dict[str, int] = {}
    each, left = 0, list(candidates)
    counted = int((1 - terms.share) * trainings)
    rounds = rounds_of(trainings, len(candidates), len({arm for c in candidates for arm in arms(c)}), terms.share)
    for at in range(rounds):
        alive = {arm for c in left for arm in arms(c)}
        each += int(terms.share * trainings / rounds / len(alive))
        if each < _FOLDS:
            raise InvalidInput(
                f"choosing among {len(candidates)} candidates needs more trainings, got {trainings}; "
                "give more, or fewer rows and attacks"
            )
        spent |= dict.fromkeys(alive, each)
        draws = [pilot(c, each) for c in left]
        promises = [
            _promised(c, d, claim, counted, alpha, terms.caution)
            * (1 if c.attack == candidates[0].attack else terms.doubt)
            for c, d in zip(left, draws, strict=True)
        ]
        # Where nothing is promised, more rows are more evidence.
        order = sorted(range(len(left)), key=lambda i: (-promises[i], -left[i].pair.rows, i))
        kept = order[: 1 if at == rounds - 1 else math.ceil(len(left) / 2)]
        best, left = draws[order[0]], [left[i] for i in kept]
    return Choice(left[0], best, sum(spent.values()))


def _promised(candidate: Candidate, draws: Draws, claim: Claim, counted: int, alpha: float, caution: float) -> float:
    steps = candidate.pair.steps(claim.relation)
    free = nested_scan.allowance(counted, claim.delta, alpha=alpha, steps=steps, epsilon=claim.epsilon)
    return promise(_held_out_scores(draws), draws.labels, counted, alpha, free, caution) / steps


def promise(
    scores: FloatArray,
    labels: IntArray,
    counted: int,
    alpha: float,
    free: int = 0,
    caution: float = Terms.caution,
) -> float:
    """The bound that `counted` further guesses as good as these would show; an estimate, never a result.

    `free` right guesses are δ's and do not count; where they are all there could be, the promise is negative.

    >>> sure = promise(np.array([5.0, -5.0] * 50), np.array([1, 0] * 50), 1000, 0.05)
    >>> unsure = promise(np.array([5.0, -5.0] * 50), np.array([1, 1, 0, 0] * 25), 1000, 0.05)
    >>> sure > 2 > 0 == unsure
    True
    """
    sizes = look_sizes(len(scores), np.array(FRACTIONS))
    sizes = sizes[sizes >= min(_SMALLEST, len(scores))]
    right = np.cumsum(most_confident_first(scores, labels))[sizes - 1]
    accuracy = betaincinv(right + 0.5, sizes - right + 0.5, caution)
    future = np.maximum(counted * sizes / len(scores), 1.0)
    if free >= future[-1]:
        return -1.0
    right_then, wrong_then = np.maximum(accuracy * future - free, 1e-9), (1 - accuracy) * future
    return max(0.0, float(logit(betaincinv(right_then, wrong_then + 1, alpha / _PER_LOOK)).max()))


def _held_out_scores(draws: Draws) -> FloatArray:
    scores = [out_of_fold(classifier, draws, _FOLDS) for classifier in _CLASSIFIERS]
    return scores[leading({i: log_loss(score, draws.labels) for i, score in enumerate(scores)})]
