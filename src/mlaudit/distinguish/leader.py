"""Which of several classifiers guesses: the one whose held-out guesses promise the highest bound."""

from collections.abc import Callable, Mapping

import numpy as np

from mlaudit.distinguish.distinguisher import log_loss, mean_in_sigmas, score_out_of_fold
from mlaudit.protocols import Classifier
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws
from mlaudit.types.shift import PairedShift

Project = Callable[[FloatArray, IntArray], float]  # the bound that scores of labelled draws promise

_CLEARLY = 1.05  # times the promise of the leader so far
_FAIR = 500  # draws below which no classifier is given up: some need that many to learn anything
# The first ones of a panel cost little and are never given up: a weak leak may take them thousands of draws.
_KEPT = 2
_HOPELESS = 2.0  # standard errors of the log loss behind the leader, ...
_UNPROMISING = 0.9  # ... and this share of its promise: more draws would not change that


def score_held_out(
    classifiers: tuple[Classifier, ...], draws: Draws, folds: int = 2, shift: PairedShift | None = None
) -> dict[int, FloatArray]:
    """Return each classifier's cross-validated score of every draw; zeros if there is only one classifier."""
    if len(classifiers) == 1:
        return {0: np.zeros(len(draws))}
    return {i: score_out_of_fold(classifier, draws, folds, shift) for i, classifier in enumerate(classifiers)}


def find_leader(scores: Mapping[int, FloatArray], labels: IntArray, project: Project) -> int:
    """Return the classifier whose scores promise most: the first, unless a later one promises clearly more.

    Where nothing is promised, the smaller log loss decides.

    >>> labels = np.tile([0, 1], 50)
    >>> silent, sure = np.zeros(100), np.where(labels == 1, 9.0, -9.0)
    >>> count_right = lambda scores, labels: float(((scores > 0) == labels).mean())
    >>> find_leader({0: silent, 1: sure}, labels, count_right), find_leader({0: sure, 1: sure}, labels, count_right)
    (1, 0)
    """
    if len(scores) == 1:
        return next(iter(scores))
    promises = {i: project(score, labels) for i, score in scores.items()}
    best, *others = scores
    for other in others:
        if max(promises[best], promises[other]) > 0:
            better = promises[other] > _CLEARLY * promises[best]
        else:
            better = _lead(scores[other], scores[best], labels) > 1
        best = other if better else best
    return best


def keep_contenders(
    scores: Mapping[int, FloatArray], labels: IntArray, project: Project, leader: int
) -> dict[int, FloatArray]:
    """Return the scores of the leader, of the first classifiers, and of those that may still overtake the leader."""
    if len(scores) == 1 or len(labels) < _FAIR:
        return dict(scores)
    hope = _UNPROMISING * project(scores[leader], labels)

    def has_hope(score: FloatArray) -> bool:
        return _lead(scores[leader], score, labels) < _HOPELESS or 0 < hope < project(score, labels)

    return {i: score for i, score in scores.items() if i < _KEPT or i == leader or has_hope(score)}


def _lead(one: FloatArray, other: FloatArray, labels: IntArray) -> float:
    """By how many standard errors the log loss of the first scores is the smaller one."""
    return mean_in_sigmas(log_loss(other, labels) - log_loss(one, labels))
