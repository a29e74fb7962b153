"""What every training of diffprivlib's GaussianNB shares: the classes' sums, and the scales of its noise."""

from typing import Any, NamedTuple

import numpy as np

from mlaudit.kernels.jit import inlined
from mlaudit.mechanisms._diffprivlib import require_domain
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box

SMOOTHING = 1e-9  # the library's var_smoothing
_BISECTIONS = 200


class ClassSums(NamedTuple):
    """Sufficient statistics of D and the noise's parameters; `scale[n]` is for a class with noisy count n."""

    epsilon: float
    rows: int
    sizes: IntArray
    sums: FloatArray
    mean: FloatArray
    squares: FloatArray  # Σ (x − mean)²
    low: FloatArray
    high: FloatArray
    scale: FloatArray


def empty_summaries(n: int, sums: ClassSums, *, counts: bool) -> FloatArray:
    """Where n summaries go: means and variances times their priors, priors, and the counts if asked for."""
    classes, d = sums.sums.shape
    return np.empty((n, classes * (2 * d + 1 + counts)))


def refusal(mechanism: NaiveBayes, data: Dataset) -> str:
    """Why these samplers cannot stand in for the library here, if so.

    The library sorts the noisy counts of the classes by an unstable sort. Which of three equal counts comes first
    depends on the processor: of more than two classes its outputs cannot be repeated.
    """
    if len(np.unique(np.asarray(data.y))) > 2:
        return "it supports two classes only, and D has more"
    box = require_domain(Box, data)
    return "a column's bounds are equal" if (box.high <= box.low).any() else ""


def sum_classes(mechanism: NaiveBayes, data: Dataset) -> ClassSums:
    """Once for each dataset; X is clipped to the bounds, as the library does."""
    box, y = require_domain(Box, data), np.asarray(data.y)
    X = np.clip(data.X, box.low, box.high)
    classes = [X[y == label] for label in np.unique(y)]
    sizes, sums = np.array([len(part) for part in classes]), np.array([part.sum(axis=0) for part in classes])
    mean = sums / sizes[:, None]
    squares = np.array([((part - m) ** 2).sum(axis=0) for part, m in zip(classes, mean, strict=True)])
    scale = bounded_scale(mechanism.epsilon / 3 / X.shape[1], len(X))
    return ClassSums(mechanism.epsilon, len(X), sizes, sums, mean, squares, box.low, box.high, scale)


def bounded_scale(epsilon: float, most: int) -> FloatArray:
    """The scale of bounded-domain Laplace noise of sensitivity 1 on [0, n], for n = 0 … most (none for 0).

    The fixed point of b = 1/(ε − ln ΔC(b)) that the library finds by bisection in every fit (Holohan et al. 2020).

    >>> bounded_scale(1.0, 3).round(4)
    array([   nan, 1.    , 1.4133, 1.5221])
    """
    n = np.arange(1, most + 1, dtype=float)

    def update(b: FloatArray) -> FloatArray:
        spread = (2 - np.exp(-1 / b) - np.exp(-(n - 1) / b)) / (1 - np.exp(-n / b))
        return np.asarray(1 / (epsilon - np.log(spread)))

    low = np.full(most, 1 / epsilon)
    high = update(low)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        at = update(middle)
        low, high = np.where(at >= middle, middle, low), np.where(at <= middle, middle, high)
    return np.append(np.nan, (low + high) / 2)


@inlined
def add_geometric_noise(u: Any, value: Any, epsilon: Any, most: Any) -> Any:
    """Truncated geometric noise on a count, from a uniform number: kept in [1, most]."""
    spread = (u - 0.5) * (1.0 + np.exp(-epsilon))
    sign = -1.0 if spread < 0 else 1.0
    noisy = np.round(value + sign * np.floor(np.log(sign * spread) / -epsilon))
    return np.int64(min(max(noisy, 1.0), most))


@inlined
def repair_counts(counts: Any, order: Any, total: Any) -> Any:
    """Make the counts sum to the number of rows, by ones, as the library does: from the smallest up, or down."""
    classes = len(counts)
    for i in range(classes):  # a stable argsort: numpy's is one for so few
        at = i
        while at > 0 and counts[order[at - 1]] > counts[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    left = total - counts.sum()
    at = classes - 1 if left >= 0 else 0
    while left != 0:
        step = 1 if left > 0 else -1
        changed = min(max(counts[order[at]] + step, 1), total)
        left -= changed - counts[order[at]]
        counts[order[at]] = changed
        at = (at - step) % classes
