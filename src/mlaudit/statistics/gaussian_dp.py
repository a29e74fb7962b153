"""Gaussian differential privacy: μ, its (ε, δ) curve, and a lower bound on μ from guesses.

A lower bound on μ refutes μ-GDP, not (ε, δ)-DP in general: an ε derived from it is "implied under Gaussian DP".
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtri

from mlaudit.statistics.binomial import lower_limit
from mlaudit.statistics.roots import crossing
from mlaudit.types.arrays import FloatArray


def delta_of(epsilon: ArrayLike, mu: ArrayLike) -> FloatArray:
    """Return the δ of a μ-GDP mechanism at ε: Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2).

    >>> delta_of([1.0, 4.0], 1.0).round(7)
    array([1.269367e-01, 4.710000e-05])
    """
    return np.exp(_log_delta(np.asarray(epsilon, dtype=np.float64), np.asarray(mu, dtype=np.float64)))


def _log_delta(epsilon: FloatArray, mu: FloatArray) -> FloatArray:
    """Return ln δ without overflow of e^ε or underflow of Φ; −inf for μ = 0."""
    positive = np.where(mu > 0.0, mu, 1.0)
    first = log_ndtr(-epsilon / positive + positive / 2.0)
    second = epsilon + log_ndtr(-epsilon / positive - positive / 2.0)
    remainder = -np.expm1(np.minimum(second - first, 0.0))
    defined = (mu > 0.0) & (remainder > 0.0)
    return np.where(defined, first + np.log(np.where(defined, remainder, 1.0)), -np.inf)


def epsilon_of(mu: ArrayLike, delta: float) -> FloatArray:
    """Return the smallest ε ≥ 0 at which a μ-GDP mechanism is (ε, δ)-DP, for 0 < δ < 1.

    >>> epsilon_of([0.0, 1.0, 3.0], 1e-5).round(6)
    array([ 0.      ,  4.377178, 16.675494])
    """
    mu, zero = np.asarray(mu, dtype=np.float64), np.zeros(np.shape(mu))
    private_at_zero = _log_delta(zero, mu) <= np.log(delta)
    # Dropping the second term of δ(ε) can only raise ε.
    highest = np.where(private_at_zero, 0.0, mu * (mu / 2.0 - ndtri(delta)))
    epsilon = crossing(lambda e: _log_delta(e, mu) - np.log(delta), zero, highest, tolerance=1e-11)
    return np.where(private_at_zero, 0.0, epsilon)


def mu_of(epsilon: ArrayLike, delta: float) -> FloatArray:
    """Return the largest μ whose μ-GDP mechanisms are (ε, δ)-DP, for ε ≥ 0 and 0 < δ < 1.

    >>> mu_of([0.0, 4.3771781], 1e-5).round(6)
    array([2.5e-05, 1.0e+00])
    """
    epsilon = np.asarray(epsilon, dtype=np.float64)
    # δ(μ) lies between zero and Φ(−ε/μ + μ/2), whose root in μ is therefore too low.
    lowest = ndtri(delta) + np.sqrt(ndtri(delta) ** 2 + 2.0 * epsilon)
    lowest, highest = np.maximum(lowest, 0.0), np.maximum(lowest, 1.0)
    while np.any(short := _log_delta(epsilon, highest) <= np.log(delta)):
        highest = np.where(short, 2.0 * highest, highest)
    return crossing(lambda mu: np.log(delta) - _log_delta(epsilon, mu), lowest, highest, tolerance=1e-13)


def mu_lower_bound(correct: ArrayLike, guesses: ArrayLike, alpha: float) -> FloatArray:
    """Return a lower (1 − alpha) bound on μ, at least 0, from guesses of the label of every draw.

    Under μ-GDP a guess of a random label is correct with probability at most Φ(μ/2). Fewer than half correct gives no
    evidence: a negative μ is not evidence for its absolute value.

    >>> mu_lower_bound([1250, 700], 1800, alpha=0.05).round(4)
    array([0.9135, 0.    ])
    """
    return np.asarray(np.maximum(2.0 * ndtri(lower_limit(correct, guesses, alpha)), 0.0))
