"""Whether a number can be a sum: near 0, floating-point noise added to 1 is no finer than at −1 (Mironov 2012)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, logit, softmax

from mlaudit.classifiers._ranges import ranges
from mlaudit.classifiers.boosting import most_telling
from mlaudit.classifiers.steps import slices
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.checks import whole

_SLICES = 6  # of the numbers that can be such a sum: they still lie more on one side than on the other
_SPAN = 2  # powers of two around the usual size of a coordinate, as the size of what noise was added to
_PURE = 0.05  # prior (Beta) of the others' share: if they tell anything, they come from one side only
_LARGEST = 1000  # exponent: twice 2^1023 is no number any more
_SURE = 1e-12


@dataclass(frozen=True, eq=False)
class SumRule:
    """The share of label 1 where a column cannot be `centre` plus noise, and slice by slice where it can."""

    column: int
    centre: float
    edges: FloatArray
    out_of_reach: float
    slices: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One share per row."""
        values = z[:, self.column]
        inside = self.slices[np.searchsorted(self.edges, values)]
        return np.where(reached_from(self.centre, values), inside, self.out_of_reach)


@dataclass(frozen=True, eq=False)
class ReachableScorer:
    """The log-odds of a weighted mean of rules."""

    rules: tuple[SumRule, ...]
    weights: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        share = self.weights @ np.stack([rule(z) for rule in self.rules])
        return np.asarray(logit(np.clip(share, _SURE, 1.0 - _SURE)))


@dataclass(frozen=True)
class Reachable:
    """Rules "cannot be c plus noise" for c = 0, ±½, ±1, ±2, …, weighted by how probable each makes the labels.

    Unlike `Grain` it does not have to learn how fine the numbers of either side are: that follows from c.

    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> z = ((1 - labels) + rng.laplace(size=400))[:, None]
    >>> betrayed = Reachable().fit(z, labels)(z) > 3
    >>> int(betrayed.sum()) > 30, bool(labels[betrayed].all())
    (True, True)
    """

    # Fails for a correct program with probability < 1e-6: 86 are betrayed, with a deviation of 8 (of 40 seeds).

    columns: int = 16

    def __post_init__(self) -> None:
        whole("columns", self.columns, 1)

    def fit(self, z: FloatArray, labels: IntArray) -> ReachableScorer:
        """Count labels on both sides of every rule."""
        columns = most_telling(z, labels, self.columns)
        found = [_rule(z, k, centre, labels == 1) for k in columns for centre in _centres(z[:, k])]
        rules, fits = zip(*found, strict=True)
        return ReachableScorer(rules, np.asarray(softmax(fits)))


def reached_from(centre: float, values: FloatArray) -> BoolArray:
    """Which of the values are `centre` plus another floating-point number.

    >>> reached_from(1.0, np.array([0.1, 0.7, 1.0 + 1e-10, 1.0 - 0.9]))
    array([False,  True,  True,  True])
    """
    return np.asarray(centre + (values - centre) == values)


def _centres(values: FloatArray) -> list[float]:
    """0, which all are in reach of, and powers of two of either sign about as large as the values, if some are not.

    >>> _centres(np.array([0.1, 0.3, 0.7])), _centres(np.array([0.25, 1.0, 3.0]))
    ([0.0, 0.5, 1.0, 2.0, -0.25, -0.5, -1.0, -2.0], [0.0])
    """
    usual = np.clip(int(np.median(np.frexp(values)[1])), -_LARGEST, _LARGEST)
    sizes = np.ldexp(1.0, np.arange(usual - _SPAN, usual + _SPAN + 1))
    return [0.0, *(c for c in (*sizes.tolist(), *(-sizes).tolist()) if not reached_from(c, values).all())]


def _rule(z: FloatArray, column: int, centre: float, ones: BoolArray) -> tuple[SumRule, float]:
    """What the labels say of one centre, and how probable that makes them."""
    values = z[:, column]
    inside, edges = reached_from(centre, values), slices(values, _SLICES)
    at = np.searchsorted(edges, values)
    counts = (np.bincount(at[inside & side], minlength=len(edges) + 1) for side in (ones, ~ones))
    share, fit = ranges(*counts)
    one, zero = (int((~inside & side).sum()) + _PURE for side in (ones, ~ones))
    return SumRule(column, centre, edges, one / (one + zero), share), fit + float(
        betaln(one, zero) - betaln(_PURE, _PURE)
    )
