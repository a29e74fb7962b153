"""Scores for gradient canaries: what all noisy sums of a training say about each."""

import numpy as np

from mlaudit.types.arrays import FloatArray


def directions(canaries: int, parameters: int, rng: np.random.Generator) -> FloatArray:
    """Unit vectors in random directions, orthogonal to each other as far as there is room.

    >>> u = directions(5, 3, np.random.default_rng(0))
    >>> (u @ u.T).diagonal().round(6).tolist(), bool(abs(u[:3] @ u[:3].T - np.eye(3)).max() < 1e-12)
    ([1.0, 1.0, 1.0, 1.0, 1.0], True)
    """
    blocks = []
    for at in range(0, canaries, parameters):
        some = min(parameters, canaries - at)
        blocks.append(np.linalg.qr(rng.standard_normal((parameters, some)))[0].T)
    return np.vstack(blocks)


def log_likelihood_ratios(seen: FloatArray, units: FloatArray, rate: float, noise: float) -> FloatArray:
    """How much likelier what was seen (steps × canaries) is with each canary in than out, as a logarithm.

    `seen` are the noisy sums' inner products with the canaries' unit vectors, in units of the clipping norm. A canary
    that is in joins each step with probability `rate`: the sum over steps is best only where noise drowns that. The
    other canaries, of which half are in, are noise around a mean that is known.

    >>> log_likelihood_ratios(np.array([[1.0, 0.0]]), np.eye(2), rate=0.5, noise=1.0).round(3)
    array([ 0.281, -0.219])
    """
    overlap = units @ units.T
    np.fill_diagonal(overlap, 0.0)
    centre = 0.5 * rate * overlap.sum(axis=1)
    half = 0.5 * rate
    variance = noise**2 + half * (1.0 - half) * (overlap**2).sum(axis=1)
    return np.asarray(np.log1p(rate * np.expm1((seen - centre - 0.5) / variance)).sum(axis=0))
