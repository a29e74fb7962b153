"""Choose the pair to audit (attack and number of rows k) on pilot draws that never count."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, logit

from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguish.distinguisher import find_leader, log_loss, score_out_of_fold
from mlaudit.errors import InvalidInput
from mlaudit.procedures._guessing import prefix_sizes, rank_right_guesses
from mlaudit.procedures.progressive import FRACTIONS
from mlaudit.search.candidate import Candidate
from mlaudit.search.halving import halve_field
from mlaudit.search.run import MANY
from mlaudit.statistics import nested_scan
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws

_FAIR = 100  # trainings of each stream below which no candidate is dropped early
_FOLDS = 2
_CLASSIFIERS = (Logistic(), Boosting(trees=30, learning_rate=0.2))  # a pilot is small, and there are many
_PER_PREFIX = 7.0  # a scan over 13 prefixes costs about as much as a seventh of alpha at the best prefix
_SMALLEST = 30  # guesses below which the accuracy of a prefix is ignored


@dataclass(frozen=True)
class SelectionPlan:
    """How the pair is chosen.

    The winner's pilot draws also train its first distinguisher.

    Attributes:
        share: Share of all trainings that are pilots.
        doubt: Factor on the projected bound of every attack but the first. The first attack is its author's first
            choice, and pilots are few: another one must project clearly more.
        caution: Quantile of the posterior of an accuracy that is taken for it: few guesses must not win by luck.
    """

    share: float = 0.1
    doubt: float = 0.9
    caution: float = 0.05


def plan_for_search(pilots: int, share: float) -> SelectionPlan:
    """Plan the choice among the finalists of a search.

    Finalists have no author, and many pilots can show a rare output. With few pilots, the order in which the search
    ranked the finalists says more than the bounds that they project.
    """
    return SelectionPlan(share, doubt=0.95, caution=0.25) if pilots >= MANY else SelectionPlan(share, doubt=0.8)


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen candidate, its pilot draws, and how many trainings the choice cost."""

    candidate: Candidate
    draws: Draws
    spent: int


def count_rounds(trainings: int, candidates: int, streams: int, share: float = SelectionPlan.share) -> int:
    """Count the rounds in which the pilots halve the field: all that it takes, if every stream gets a fair number.

    >>> count_rounds(40_000, 8, 9), count_rounds(4000, 8, 9), count_rounds(40_000, 2, 3)
    (3, 1, 1)
    """
    most = max(1, math.ceil(math.log2(candidates)))
    return next((r for r in range(most, 1, -1) if share * trainings / r / streams >= _FAIR), 1)


def choose_pair(
    candidates: Sequence[Candidate],
    streams: Callable[[Candidate], Iterable[str]],
    pilot: Callable[[Candidate, int], Draws],
    claim: Claim,
    trainings: int,
    alpha: float,
    plan: SelectionPlan = SelectionPlan(),  # noqa: B008 - frozen
) -> Selection:
    """Choose the candidate whose pilots project the highest bound on ε, by successive halving.

    Args:
        candidates: The candidates; the first one's attack is preferred.
        streams: Names the two streams of a candidate. A stream that several candidates share is drawn once.
        pilot: Draws the first so many trainings of each of a candidate's streams.
        claim: The claim to refute.
        trainings: All trainings of the audit, pilots included.
        alpha: One-sided error of the bound.
        plan: How the pair is chosen.

    Returns:
        The chosen candidate, its pilot draws and what the choice cost.

    Raises:
        InvalidInput: If there are too few trainings for so many candidates.
    """
    spent: dict[str, int] = {}
    draws: dict[Candidate, Draws] = {}
    each = 0
    counted = int((1 - plan.share) * trainings)
    rounds = count_rounds(
        trainings, len(candidates), len({stream for c in candidates for stream in streams(c)}), plan.share
    )

    def rank(left: list[Candidate], at: int) -> list[Candidate] | None:
        nonlocal each
        if at == rounds:
            return None
        alive = {stream for candidate in left for stream in streams(candidate)}
        each += int(plan.share * trainings / rounds / len(alive))
        if each < _FOLDS:
            raise InvalidInput(
                f"choosing among {len(candidates)} candidates needs more trainings, got {trainings}; "
                "give more, or fewer rows and attacks"
            )
        spent.update(dict.fromkeys(alive, each))
        draws.update({candidate: pilot(candidate, each) for candidate in left})
        bounds = {
            candidate: _project_bound(candidate, draws[candidate], claim, counted, alpha, plan.caution)
            * (1 if candidate.attack == candidates[0].attack else plan.doubt)
            for candidate in left
        }
        # Where no bound is projected, more rows are more evidence.
        return sorted(left, key=lambda candidate: (-bounds[candidate], -candidate.pair.rows))

    best = halve_field(candidates, rank)[0]
    return Selection(best, draws[best], sum(spent.values()))


def _project_bound(
    candidate: Candidate, draws: Draws, claim: Claim, counted: int, alpha: float, caution: float
) -> float:
    steps = candidate.pair.steps(claim.relation)
    free = nested_scan.allowance(counted, claim.delta, alpha=alpha, steps=steps, epsilon=claim.epsilon)
    return projected_bound(_held_out_scores(draws), draws.labels, counted, alpha, free, caution) / steps


def projected_bound(
    scores: FloatArray,
    labels: IntArray,
    counted: int,
    alpha: float,
    free: int = 0,
    caution: float = SelectionPlan.caution,
) -> float:
    """The bound that `counted` further guesses as accurate as these would show; an estimate, never a result.

    δ explains `free` correct guesses, which do not count. If it could explain all of them, the value is negative.

    >>> sure = projected_bound(np.array([5.0, -5.0] * 50), np.array([1, 0] * 50), 1000, 0.05)
    >>> unsure = projected_bound(np.array([5.0, -5.0] * 50), np.array([1, 1, 0, 0] * 25), 1000, 0.05)
    >>> sure > 2 > 0 == unsure
    True
    """
    sizes = prefix_sizes(len(scores), np.array(FRACTIONS))
    sizes = sizes[sizes >= min(_SMALLEST, len(scores))]
    right = np.cumsum(rank_right_guesses(scores, labels))[sizes - 1]
    accuracy = betaincinv(right + 0.5, sizes - right + 0.5, caution)
    future = np.maximum(counted * sizes / len(scores), 1.0)
    if free >= future[-1]:
        return -1.0
    right_then, wrong_then = np.maximum(accuracy * future - free, 1e-9), (1 - accuracy) * future
    return max(0.0, float(logit(betaincinv(right_then, wrong_then + 1, alpha / _PER_PREFIX)).max()))


def _held_out_scores(draws: Draws) -> FloatArray:
    scores = [score_out_of_fold(classifier, draws, _FOLDS) for classifier in _CLASSIFIERS]
    return scores[find_leader({i: log_loss(score, draws.labels) for i, score in enumerate(scores)})]
