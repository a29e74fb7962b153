"""Whether a number can be c plus floating-point noise: such sums miss most numbers near 0 (Mironov 2012)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, logit, softmax

from mlaudit.classifiers._partitions import average_over_partitions
from mlaudit.classifiers.boosting import select_columns
from mlaudit.classifiers.steps import cut_points
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.checks import whole

_SLICES = 6  # of the numbers that can be such a sum, since their distribution differs too
_SPAN = 2  # powers of two on either side of a coordinate's usual size, as candidates for c
_PURE = 0.05  # prior (Beta) of the share among numbers that cannot be c plus noise: near 0 or near 1
_LARGEST = 1000  # exponent; 2^1024 overflows
_SURE = 1e-12


@dataclass(frozen=True, eq=False)
class SumRule:
    """The share of label 1 if a column cannot be `centre` plus noise, and by slices if it can."""

    column: int
    centre: float
    edges: FloatArray
    out_of_reach: float
    slices: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One share per row."""
        values = z[:, self.column]
        inside = self.slices[np.searchsorted(self.edges, values)]
        return np.where(is_reachable(self.centre, values), inside, self.out_of_reach)


@dataclass(frozen=True, eq=False)
class ReachableScorer:
    """The log-odds of a weighted mean of the rules' shares."""

    rules: tuple[SumRule, ...]
    weights: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        share = self.weights @ np.stack([rule(z) for rule in self.rules])
        return np.asarray(logit(np.clip(share, _SURE, 1.0 - _SURE)))


@dataclass(frozen=True)
class Reachable:
    """Rules "cannot be c plus noise" for c = 0, ±½, ±1, ±2, …, weighted by the likelihood of the labels.

    `Grain` learns the last bits of both labels' numbers; here they follow from c.

    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> z = ((1 - labels) + rng.laplace(size=400))[:, None]
    >>> revealed = Reachable().fit(z, labels)(z) > 3
    >>> int(revealed.sum()) > 30, bool(labels[revealed].all())
    (True, True)
    """

    # Fails for a correct program with probability < 1e-6: 86 are revealed, with a standard deviation of 8 (40 seeds).

    columns: int = 16

    def __post_init__(self) -> None:
        whole("columns", self.columns, 1)

    def fit(self, z: FloatArray, labels: IntArray) -> ReachableScorer:
        """Count the labels on both sides of every rule."""
        columns = select_columns(z, labels, self.columns)
        found = [_fit_rule(z, k, centre, labels == 1) for k in columns for centre in _centres(z[:, k])]
        rules, fits = zip(*found, strict=True)
        return ReachableScorer(rules, np.asarray(softmax(fits)))


def is_reachable(centre: float, values: FloatArray) -> BoolArray:
    """Return which of the values are `centre` plus another floating-point number.

    >>> is_reachable(1.0, np.array([0.1, 0.7, 1.0 + 1e-10, 1.0 - 0.9]))
    array([False,  True,  True,  True])
    """
    return np.asarray(centre + (values - centre) == values)


def _centres(values: FloatArray) -> list[float]:
    """Return 0 and the powers of two, of either sign and about as large as the values, that miss some value.

    >>> _centres(np.array([0.1, 0.3, 0.7])), _centres(np.array([0.25, 1.0, 3.0]))
    ([0.0, 0.5, 1.0, 2.0, -0.25, -0.5, -1.0, -2.0], [0.0])
    """
    usual = np.clip(int(np.median(np.frexp(values)[1])), -_LARGEST, _LARGEST)
    sizes = np.ldexp(1.0, np.arange(usual - _SPAN, usual + _SPAN + 1))
    return [0.0, *(c for c in (*sizes.tolist(), *(-sizes).tolist()) if not is_reachable(c, values).all())]


def _fit_rule(z: FloatArray, column: int, centre: float, ones: BoolArray) -> tuple[SumRule, float]:
    """Return the rule for one centre and the log marginal likelihood of the labels."""
    values = z[:, column]
    inside, edges = is_reachable(centre, values), cut_points(values, _SLICES)
    at = np.searchsorted(edges, values)
    counts = (np.bincount(at[inside & side], minlength=len(edges) + 1) for side in (ones, ~ones))
    share, fit = average_over_partitions(*counts)
    one, zero = (int((~inside & side).sum()) + _PURE for side in (ones, ~ones))
    return SumRule(column, centre, edges, one / (one + zero), share), fit + float(
        betaln(one, zero) - betaln(_PURE, _PURE)
    )
