"""How far a pair moves τ, in units of the noise that pilots measured."""

import math

import numpy as np

from mlaudit.outcomes import kinds_of
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.block import Block
from mlaudit.types.draws import Kinds

_SPREAD = 1.5  # standard errors of a log spread that chance may be
_DOUBTFUL = 0.05  # of a shift that may be chance: still more than none
_TINY = 1e-9  # of a number's own size: rounding, not noise


def shift(base: Block, other: Block) -> float:
    """The root of the summed squares of every coordinate's shift over its noise, each less its standard error.

    There may be more trainings of `base`, for the noise. Trainings at the same place have the same seed: where noise
    is added to something, it cancels in the difference, and a few trainings give the shift almost exactly. A spread
    that differs counts as well, and so does another kind of output (an exception, NaN, a changed length). No
    coordinate counts for more than so few trainings can show.

    >>> from mlaudit.outcomes import pack_rows
    >>> noise = np.random.default_rng(0).laplace(size=(8, 1))
    >>> at = lambda x: pack_rows(x + noise, None, (0.0, 0.0))
    >>> shift(at(0.0), at(0.0)), 1.5 < shift(at(0.0), at(2.0)) / shift(at(0.0), at(1.0)) < 2.5
    (0.0, True)
    """
    n = len(other)
    parts = [_kinds_apart(kinds_of(base)[:n], kinds_of(other))]
    a, b = compared(base, other)
    if len(b) > 1:
        first = a[: len(b)]
        parts += [float(np.linalg.norm(part)) for part in (moved(first, b, noise_of(a, b)), spread(first, b))]
    return float(np.linalg.norm(parts))


def compared(base: Block, other: Block) -> tuple[FloatArray, FloatArray]:
    """The numbers of the usual kind of output on both sides: those at the same places first, then the rest of D's."""
    n, kinds = len(other), (kinds_of(base), kinds_of(other))
    usual = _usual((kinds[0][:n], kinds[1]))
    mine = [kind == usual for kind in kinds]
    both = mine[0][:n] & mine[1]
    rest = mine[0].copy()
    rest[:n] &= ~both
    a, b = np.vstack([base.z[:n][both], base.z[rest]]), other.z[both]
    keep = _finite(a, b)
    return a[:, keep], b[:, keep]


def coordinate_shifts(a: FloatArray, b: FloatArray) -> FloatArray:
    """Each column's shift from a to b over its noise, with its sign; 0 where there is neither."""
    noise, by = noise_of(a, b), b.mean(axis=0) - a.mean(axis=0)
    far = np.where(by == 0, 0.0, np.copysign(np.inf, by))
    return np.asarray(np.divide(by, noise, out=far, where=noise > 0))


def _usual(kinds: tuple[Kinds, Kinds]) -> str:
    values, counts = np.unique(np.concatenate(kinds), return_counts=True)
    return str(values[counts.argmax()])


def _kinds_apart(a: Kinds, b: Kinds) -> float:
    """How surely the kind of output tells: as many as there are trainings where it never fails."""
    n = len(a)
    shares = [((a == kind).mean(), (b == kind).mean()) for kind in np.unique(np.concatenate([a, b]))]
    return float(_told_apart(np.array(sum(abs(p - q) for p, q in shares) / 2), n))


def _finite(a: FloatArray, b: FloatArray) -> IntArray:
    width = min(a.shape[1], b.shape[1])
    return np.flatnonzero(np.isfinite(a[:, :width]).all(axis=0) & np.isfinite(b[:, :width]).all(axis=0))


def noise_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """Each column's standard deviation, of both sides together."""
    weights = len(a) - 1, len(b) - 1
    both = weights[0] * a.var(axis=0, ddof=1) + weights[1] * b.var(axis=0, ddof=1)
    return np.asarray(np.sqrt(both / sum(weights)))


def moved(a: FloatArray, b: FloatArray, noise: FloatArray) -> FloatArray:
    """How far each column moved beyond chance, in units of its noise."""
    n, differences = len(a), b - a
    error = differences.std(axis=0, ddof=1) / np.sqrt(n)
    plain = np.abs(differences.mean(axis=0))
    careful = np.maximum(plain - error, _DOUBTFUL * plain)
    careful[careful <= _TINY * np.abs(a).max(axis=0)] = 0.0
    noise = np.maximum(noise, careful / n)
    return np.asarray(np.divide(careful, noise, out=np.zeros_like(careful), where=noise > 0))


def spread(a: FloatArray, b: FloatArray) -> FloatArray:
    """How far each column's log spreads are apart, beyond chance; heavy tails leave more to chance.

    Where one side never moves it counts how often the other does: a rare output is no proof that there is no noise.
    """
    (one, error), (two, other) = _log_spread(a), _log_spread(b)
    apart = np.abs(one - two) - _SPREAD * np.hypot(error, other)
    still = [np.ptp(side, axis=0) <= _TINY * np.abs(side).max(axis=0) for side in (a, b)]
    moving = np.where(still[0], (b != a[0]).mean(axis=0), (a != b[0]).mean(axis=0))
    told = np.where(still[0] | still[1], _told_apart(moving, len(a)), apart)
    return np.asarray(np.minimum(np.maximum(np.where(still[0] & still[1], 0.0, told), 0.0), len(a)))


def _log_spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A column's log standard deviation, and the standard error of that, by its kurtosis; at least a normal one's."""
    n, centred = len(values), values - values.mean(axis=0)
    variance = np.maximum(np.square(centred).mean(axis=0), 1e-300)
    kurtosis = np.maximum(np.square(np.square(centred) / variance).mean(axis=0), 3.0)
    return np.log(variance) / 2, np.sqrt((kurtosis - 1) / (4 * (n - 1)))


def _told_apart(share: FloatArray, n: int) -> FloatArray:
    """How surely something tells that differs in a share of n trainings."""
    return np.asarray(np.where(share == 1, float(n), 4 * np.maximum(0.0, share - 1 / math.sqrt(n))))
