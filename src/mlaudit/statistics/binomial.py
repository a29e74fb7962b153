"""Confidence limits, tails and probabilities of the binomial distribution."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betainccinv, betaincinv, logit

from mlaudit.statistics.roots import smallest_reached
from mlaudit.types.arrays import FloatArray, IntArray

_SURE = 700.0  # log-odds of p = 0 and 1


def lower_limit(n: ArrayLike, N: ArrayLike, alpha: float) -> FloatArray:
    """Return the one-sided Clopper-Pearson lower limits for n of N.

    >>> lower_limit([0, 500], 500, 0.05).round(6)
    array([0.      , 0.994026])
    """
    n, N = np.asarray(n), np.asarray(N)
    shape = np.maximum(n, 1)
    return np.where(n > 0, betaincinv(shape, np.maximum(N - shape + 1, 1), alpha), 0.0)


def upper_limit(n: ArrayLike, N: ArrayLike, alpha: float) -> FloatArray:
    """Return the one-sided Clopper-Pearson upper limits for n of N.

    >>> upper_limit([0, 500], 500, 0.05).round(6)
    array([0.005974, 1.      ])
    """
    n, N = np.asarray(n), np.asarray(N)
    # The complement keeps its digits for tiny alpha, where 1 − alpha would not.
    return np.where(n < N, betainccinv(n + 1, np.maximum(N - n, 1), alpha), 1.0)


@lru_cache(maxsize=64)
def lower_table(N: int, alpha: float) -> FloatArray:
    """Return the read-only lower limits for n = 0…N.

    >>> lower_table(2, 0.25).round(6)
    array([0.      , 0.133975, 0.5     ])
    """
    return _freeze(lower_limit(np.arange(N + 1), N, alpha))


@lru_cache(maxsize=64)
def upper_table(N: int, alpha: float) -> FloatArray:
    """Return the read-only upper limits for n = 0…N.

    >>> upper_table(2, 0.25).round(6)
    array([0.5     , 0.866025, 1.      ])
    """
    return _freeze(upper_limit(np.arange(N + 1), N, alpha))


def _freeze(table: FloatArray) -> FloatArray:
    table.setflags(write=False)
    return table


def tail(v: ArrayLike, N: ArrayLike, p: float | FloatArray) -> FloatArray:
    """Return P(Bin(N, p) ≥ v).

    >>> tail([0, 2, 3], 2, 0.5)
    array([1.  , 0.25, 0.  ])
    """
    v, N = np.asarray(v), np.asarray(N)
    inside = np.clip(v, 1, np.maximum(N, 1))
    middle = betainc(inside, np.maximum(N - inside + 1, 1), p)
    return np.where(v <= 0, 1.0, np.where(v > N, 0.0, middle))


def critical_count(N: ArrayLike, p: float, level: float) -> IntArray:
    """Return the smallest v with P(Bin(N, p) ≥ v) ≤ level; N + 1 if even v = N is too likely.

    >>> critical_count([4, 100], 0.5, 0.05)
    array([ 5, 59])
    """
    N = np.asarray(N, dtype=np.int64)
    return smallest_reached(np.zeros_like(N), N + 1, lambda v: np.asarray(tail(v, N, p) <= level))


def quantile(level: float, N: int, p: float) -> IntArray:
    """Return the smallest v with P(Bin(N, p) ≤ v) ≥ level.

    >>> int(quantile(0.9, 100, 0.5)), int(quantile(0.1, 100, 0.5))
    (56, 44)
    """
    return critical_count(N, p, 1.0 - level) - 1


def window(N: int, p: float, floor: float) -> tuple[int, int]:
    """Return the first and last count outside which Bin(N, p) has mass below `floor` on either side (Bernstein).

    >>> window(10_000, 0.5, 1e-16)
    (4558, 5442)
    """
    nats = -np.log(floor)
    reach = nats / 3.0 + np.sqrt((nats / 3.0) ** 2 + 2.0 * nats * N * p * (1.0 - p))
    return max(0, int(np.floor(N * p - reach))), min(N, int(np.ceil(N * p + reach)))


def windowed_mass(N: int, p: float, floor: float) -> tuple[int, FloatArray]:
    """Return the first count of `window` and the probabilities of Bin(N, p) from there on.

    They are multiplied outwards from the mode and normalised. At large N this keeps four digits more than log-gammas.

    >>> windowed_mass(2, 0.5, 1e-16)
    (0, array([0.25, 0.5 , 0.25]))
    """
    if p <= 0.0 or p >= 1.0:
        return (0 if p <= 0.0 else N), np.ones(1)
    first, last = window(N, p, floor)
    mode = min(last, int((N + 1) * p))
    odds = p / (1.0 - p)
    above, below = np.arange(mode, last), np.arange(mode, first, -1)
    rising = np.cumprod((N - above) / (above + 1) * odds)
    falling = np.cumprod(below / (N - below + 1) / odds)
    mass = np.concatenate([falling[::-1], np.ones(1), rising])
    return first, mass / mass.sum()


def windowed_masses(N: int, p: FloatArray, floor: float) -> tuple[int, FloatArray]:
    """Return the first count of the union of all `window`s and, a row for each p, the probabilities from there on.

    >>> first, masses = windowed_masses(2, np.array([0.5, 1.0]), 1e-16)
    >>> first, masses.round(6).tolist()
    (0, [[0.25, 0.5, 0.25], [0.0, 0.0, 1.0]])
    """
    first, last = window(N, float(p.min()), floor)[0], window(N, float(p.max()), floor)[1]
    counts = np.arange(first, last)
    ways = np.append(0.0, np.cumsum(np.log((N - counts) / (counts + 1))))  # of the first count: any constant will do
    log_odds = np.clip(logit(p), -_SURE, _SURE)
    log_mass = ways + log_odds[:, None] * np.arange(last - first + 1)
    mass = np.exp(log_mass - log_mass.max(axis=1, keepdims=True))
    return first, mass / mass.sum(axis=1, keepdims=True)
