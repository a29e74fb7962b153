"""Distinguishers of D and D′ for outputs of any kind; a draw that was learned from is never counted."""

import math
from dataclasses import dataclass

import numpy as np

from mlaudit.errors import ReusedDraws
from mlaudit.protocols import Classifier, Grows, VectorScorer
from mlaudit.types.arrays import FloatArray, IntArray, take_columns
from mlaudit.types.draws import Draws, Kinds
from mlaudit.types.finding import Scorer
from mlaudit.types.shift import PairedShift

_CHUNK = 20_000  # draws scored at once, to save memory
FEWEST = 10  # draws of each label below which a kind of output is scored by its frequency


@dataclass(frozen=True, eq=False)
class KindScorer:
    """Log-odds by the kind of output, and within a kind by a classifier on its finite coordinates.

    An output of a kind that was not in the training draws has log-odds 0.
    """

    kinds: tuple[str, ...]
    log_odds: tuple[float, ...]
    columns: tuple[IntArray, ...]
    scorers: tuple[VectorScorer | None, ...]

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw."""
        chunks = [slice(at, at + _CHUNK) for at in range(0, max(len(draws), 1), _CHUNK)]
        return np.concatenate([self._scores(draws.z[chunk], draws.kinds[chunk]) for chunk in chunks])

    def _scores(self, z: FloatArray, found: Kinds) -> FloatArray:
        scores = np.zeros(len(z))
        for kind, odds, columns, scorer in zip(self.kinds, self.log_odds, self.columns, self.scorers, strict=True):
            mine = found == kind
            if mine.any():
                numbers = z if mine.all() else z[mine]
                scores[mine] = odds if scorer is None else scorer(take_columns(numbers, columns))
        return scores


@dataclass(frozen=True, eq=False)
class Distinguisher:
    """A scorer together with the draws it was learned from."""

    scorer: Scorer
    seen: Draws

    def scores(self, draws: Draws) -> FloatArray:
        """Return the log-odds of fresh draws; raise if any draw was learned from.

        >>> from mlaudit.classifiers.logistic import Logistic
        >>> draws = Draws([0, 1] * 20, np.arange(40.0)[:, None])
        >>> learn(Logistic(), draws[:30]).scores(draws[20:])
        Traceback (most recent call last):
        mlaudit.errors.ReusedDraws: a draw that trained the distinguisher was about to be counted
        """
        refuse_reuse(self.seen, draws)
        return self.scorer(draws)


def refuse_reuse(seen: Draws, draws: Draws) -> None:
    """Raise if a draw that trained a distinguisher is about to be counted."""
    if seen.shares(draws):
        raise ReusedDraws("a draw that trained the distinguisher was about to be counted")


def learn(
    classifier: Classifier, draws: Draws, fewest: int = FEWEST, shift: PairedShift | None = None
) -> Distinguisher:
    """Learn to distinguish D from D′; a kind with fewer than `fewest` draws of a label is scored by its frequency.

    `shift` is what common seeds have shown of the shift; a classifier that cannot use it learns without.
    """
    kinds = tuple(sorted(set(draws.kinds.tolist())))
    found = [draws.kinds == kind if len(kinds) > 1 else slice(None) for kind in kinds]
    knows = [shift if shift is not None and shift.kind == kind else None for kind in kinds]
    parts = [
        _learn_kind(classifier, draws.z[mine], draws.labels[mine], fewest, known)
        for mine, known in zip(found, knows, strict=True)
    ]
    odds, columns, scorers = zip(*parts, strict=True)
    return Distinguisher(KindScorer(kinds, odds, columns, scorers), draws)


def score_out_of_fold(
    classifier: Classifier, draws: Draws, folds: int, shift: PairedShift | None = None
) -> FloatArray:
    """Score each draw by a distinguisher that was learned on the other folds."""
    fold = np.arange(len(draws)) % folds
    # Labels may alternate: fold by pairs, so that every fold has both.
    fold = np.repeat(fold, 2)[: len(draws)]
    scores = np.zeros(len(draws))
    for f in range(folds):
        rest = Draws(draws.labels[fold != f], draws.z[fold != f], draws.kinds[fold != f])
        left_out = Draws(draws.labels[fold == f], draws.z[fold == f], draws.kinds[fold == f])
        scores[fold == f] = learn(classifier, rest, shift=shift).scorer(left_out)
    return scores


def log_loss(scores: FloatArray, labels: IntArray) -> FloatArray:
    """Return −ln of the probability that the scores give to each true label.

    >>> log_loss(np.array([0.0]), np.array([1])).round(4)
    array([0.6931])
    """
    return np.logaddexp(0.0, np.where(labels == 1, -scores, scores))


def choose_classifier(classifiers: tuple[Classifier, ...], draws: Draws, folds: int = 3) -> Classifier:
    """Return the first classifier, unless a later one is clearly better in cross-validation."""
    if len(classifiers) == 1:
        return classifiers[0]
    losses = [log_loss(score_out_of_fold(classifier, draws, folds), draws.labels) for classifier in classifiers]
    best = 0
    for other in range(1, len(classifiers)):
        if mean_in_sigmas(losses[best] - losses[other]) > 1:
            best = other
    return classifiers[best]


def mean_in_sigmas(gain: FloatArray) -> float:
    """Return the mean in units of its standard error.

    >>> mean_in_sigmas(np.array([1.0, 1.0])), round(mean_in_sigmas(np.array([2.0, 0.0])), 2)
    (inf, 1.41)
    """
    mean, error = float(gain.mean()), float(gain.std()) / len(gain) ** 0.5
    return mean / error if error > 0 else math.copysign(math.inf, mean) if mean else 0.0


def _learn_kind(
    classifier: Classifier, z: FloatArray, labels: IntArray, fewest: int, known: PairedShift | None
) -> tuple[float, IntArray, VectorScorer | None]:
    ones, zeros = int((labels == 1).sum()), int((labels == 0).sum())
    odds = float(np.log((ones + 0.5) / (zeros + 0.5)))
    columns = np.flatnonzero(np.isfinite(z).all(axis=0))
    if min(ones, zeros) < fewest or columns.size == 0:
        return odds, columns, None
    z = take_columns(z, columns)
    if isinstance(classifier, Grows):
        learner = classifier.start(None if known is None else known.at(columns))
        learner.add(z, labels)
        return odds, columns, learner.scorer
    return odds, columns, classifier.fit(z, labels)
