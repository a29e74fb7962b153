"""Do two ways of drawing a mechanism's summaries have the same distribution? A test with a stated error."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng
from scipy.stats import binom, ks_2samp

from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguish.distinguisher import choose_classifier, learn
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws

_ORDER = 0xE9


@dataclass(frozen=True)
class Comparison:
    """How far two samples of summaries are from equal; `pvalue` covers every test made."""

    pvalue: float
    coordinate: int
    coordinate_pvalue: float
    accuracy: float
    accuracy_pvalue: float


def compare(first: FloatArray, second: FloatArray) -> Comparison:
    """Kolmogorov-Smirnov on every coordinate, and a classifier that guesses the sample, Bonferroni over both.

    Under equal distributions `pvalue` ≤ α happens with probability at most α; atoms make it rarer.

    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 4000, 3))
    >>> compare(a, b).pvalue > 1e-6 > compare(a, b * [1.0, 1.5, 1.0]).pvalue
    True
    """
    # Fails for a correct program with probability < 2e-6: the p-value of a valid test; and two normal laws one of
    # which is half as wide again are 0.097 apart, of which 0.06 is enough for p < 1e-6 (DKW: 2 exp(-2 * 2000 *
    # 0.037²) for less), while the classifier guesses 0.6 of 4 000 right, where 0.54 are enough (8 deviations).
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # where the exact p-value fails, scipy takes the asymptotic one
        each = np.array([ks_2samp(a, b).pvalue for a, b in zip(first.T, second.T, strict=True)])
    worst = int(each.argmin())
    coordinate = min(1.0, float(each[worst]) * len(each))
    accuracy, guessed = _guess_samples(first, second)
    return Comparison(min(1.0, 2 * min(coordinate, guessed)), worst, coordinate, accuracy, guessed)


def _guess_samples(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """How often a classifier learned on one half guesses the sample of the other half, and how likely that is."""
    z = np.vstack([first, second])
    labels = np.repeat([1, 0], [len(first), len(second)])
    order = default_rng(_ORDER).permutation(len(z))
    draws = Draws(labels[order], z[order])
    half = len(z) // 2
    classifier = choose_classifier((Logistic(), Boosting()), draws[:half])
    right = (learn(classifier, draws[:half]).scores(draws[half:]) > 0) == (draws.labels[half:] == 1)
    return float(right.mean()), float(binom.sf(right.sum() - 1, len(right), _chance_accuracy(draws.labels[half:])))


def _chance_accuracy(labels: IntArray) -> float:
    """The most that guessing without looking gets right."""
    return float(max(np.mean(labels == 1), np.mean(labels == 0)))
