"""The contract of a classifier: it learns from whatever a learner returns, and its scorer can be used and saved."""

import json
from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import default_rng

from mlaudit.naming.codec import encode
from mlaudit.protocols import Classifier, Grows, VectorScorer
from mlaudit.testing.checks import Check, check
from mlaudit.testing.scorer import find_bad_scores, find_dependent, find_thawed, find_unsaved, make_rows
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import with_methods
from mlaudit.types.numbers import measurement

_FEWEST = 3  # of each label: from so few the sequential procedure learns

Sample = tuple[FloatArray, IntArray]


def check_classifier(classifier: Classifier, *, seed: int = 0) -> list[Check]:
    """Check a classifier, and the scorers that it returns, against what mlaudit expects of them.

    Args:
        classifier: The classifier.
        seed: Seed of the outputs that it learns from.

    Returns:
        One check for each expectation.

    Example:
        >>> from mlaudit.classifiers.logistic import Logistic
        >>> [str(result) for result in check_classifier(Logistic()) if not result.passed]
        []
    """
    return [
        check("it learns from any finite outputs, few or many", lambda: _find_bad_fit(classifier, seed)),
        check("outputs on D score higher than outputs on D′", lambda: _find_turned(classifier, seed)),
        check("the same draws give the same scorer", lambda: _find_unrepeated(classifier, seed)),
        check("it leaves the draws as they are", lambda: _find_written(classifier, seed)),
        check("a score depends on its own row alone", lambda: _on_learned(classifier, seed, find_dependent)),
        check("its scorer is a frozen dataclass", lambda: find_thawed(_learn(classifier, make_sample(60, 3, seed)))),
        check("a result file keeps its scorer", lambda: _on_learned(classifier, seed, find_unsaved)),
        check("further draws are learned, too, if it grows", lambda: _find_not_grown(classifier, seed)),
    ]


def make_sample(n: int, columns: int, seed: int = 0) -> Sample:
    """Outputs that any classifier can tell apart: those on D lie higher, and have fewer digits.

    >>> z, labels = make_sample(6, 1)
    >>> labels.tolist(), bool(z[labels == 1].min() > z[labels == 0].max())
    ([1, 0, 1, 0, 1, 0], True)
    """
    labels = np.arange(1, n + 1) % 2
    noise = default_rng(seed).uniform(0.0, 1.0, size=(n, columns))
    return np.where(labels[:, None] == 1, 2.0 + np.round(4 * noise) / 4, -2.0 - noise), labels


def _find_not_grown(classifier: Classifier, seed: int) -> str:
    """What is wrong with a learner that gets its draws in two parts; "" for a classifier that does not grow."""
    if not isinstance(classifier, Grows):
        return ""
    z, labels = make_sample(400, 3, seed)
    learner = classifier.start(None)
    learner.add(z[:200], labels[:200])
    learner.add(z[200:], labels[200:])
    fresh, truth = make_sample(60, 3, seed + 1)
    scores = learner.score(fresh)
    if scores.shape != (60,) or not np.isfinite(scores).all():
        return "score() does not return one finite number for each row; add() may be called several times"
    if not np.array_equal(scores > 0, truth == 1):
        return "outputs that lie far apart are not told apart; let add() learn from all draws so far"
    if np.allclose(learner.scorer(fresh), scores):
        return ""
    return "its scorer gives other scores than the learner; return the rule that score() uses"


def _samples(seed: int) -> Iterator[tuple[str, Sample]]:
    """Outputs as learners return them."""
    yield "few outputs", make_sample(2 * _FEWEST, 1, seed)
    yield "fewer outputs than columns", make_sample(12, 40, seed)
    z, labels = make_sample(400, 3, seed)
    yield "400 outputs", (z, labels)
    yield "outputs that are all equal", (np.ones_like(z), labels)
    yield "outputs of which one is huge", (np.where(np.arange(400)[:, None] == 7, 1e300, z), labels)
    yield "one output on D among 100", (z[:100], np.arange(100) // 97)


def _learn(classifier: Classifier, sample: Sample) -> VectorScorer:
    with_methods("it", classifier, "a classifier", ["fit"], "write fit(self, z, labels)")
    return classifier.fit(*sample)


def _find_bad_fit(classifier: Classifier, seed: int) -> str:
    for name, (z, labels) in _samples(seed):
        try:
            wrong = find_bad_scores(_learn(classifier, (z, labels)), make_rows(z.shape[1], seed))
        except Exception as error:  # noqa: BLE001 - whatever it raises
            wrong = f"{type(error).__name__}: {error}; return a scorer for any finite outputs with both labels"
        if wrong:
            return f"on {name}: {wrong}"
    return ""


def _find_turned(classifier: Classifier, seed: int) -> str:
    scorer = _learn(classifier, make_sample(400, 2, seed))
    z, labels = make_sample(400, 2, seed + 1)
    scores = np.asarray(scorer(z))
    on_base, on_neighbour = float(scores[labels == 1].mean()), float(scores[labels == 0].mean())
    if on_base > on_neighbour:
        return ""
    means = measurement(on_base, 3), measurement(on_neighbour, 3)
    return (
        f"outputs that are easy to tell apart score {means[0]} on D and {means[1]} on D′ on average; label 1 stands "
        "for D, and the score is its log-odds"
    )


def _find_unrepeated(classifier: Classifier, seed: int) -> str:
    sample = make_sample(200, 3, seed)
    first, second = (json.dumps(encode(_learn(classifier, sample))) for _ in range(2))
    return "" if first == second else "two fits on the same draws differ; give any randomness a fixed seed"


def _find_written(classifier: Classifier, seed: int) -> str:
    z, labels = make_sample(200, 3, seed)
    before = z.tobytes(), labels.tobytes()
    _learn(classifier, (z, labels))
    return "" if before == (z.tobytes(), labels.tobytes()) else "fit changed the draws in place; work on a copy"


def _on_learned(classifier: Classifier, seed: int, find: Callable[[VectorScorer, FloatArray], str]) -> str:
    scorer = _learn(classifier, make_sample(200, 3, seed))
    return find(scorer, make_rows(3, seed))
