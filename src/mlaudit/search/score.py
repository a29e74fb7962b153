"""The score of a pair: how far it shifts the summary τ, in units of the noise that pilots measure."""

import math

import numpy as np

from mlaudit.drawing.outcome import kinds_of
from mlaudit.search.distance import distance_shifts
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.block import Block
from mlaudit.types.draws import Kinds

_SPREAD = 1.5  # standard errors of a log spread that are put down to chance
_DOUBTFUL = 0.05  # share of a shift that may be chance: it still ranks above no shift
_TINY = 1e-9  # relative size below which a difference is rounding


def shift(base: Block, other: Block) -> float:
    """The norm of all coordinates' shifts from D to D′, each in units of its noise and less its standard error.

    `base` may have more trainings than `other`; they measure the noise. Trainings with the same index have the same
    seed: additive noise cancels in the difference, and a few trainings give the shift almost exactly. A changed
    spread counts as well, and so does another kind of output (an exception, NaN, a changed length). Where neither
    mean nor spread tells, the two-sample distance of a coordinate counts: a spike of density. The number of trainings
    limits what a coordinate can count for.

    >>> from mlaudit.drawing.outcome import pack_rows
    >>> noise = np.random.default_rng(0).laplace(size=(8, 1))
    >>> at = lambda x: pack_rows(x + noise, None, (0.0, 0.0))
    >>> shift(at(0.0), at(0.0)), 1.5 < shift(at(0.0), at(2.0)) / shift(at(0.0), at(1.0)) < 2.5
    (0.0, True)
    """
    n = len(other)
    parts = [_kind_shift(kinds_of(base)[:n], kinds_of(other))]
    a, b = paired_outputs(base, other)
    if len(b) > 1:
        first = a[: len(b)]
        moments = np.hypot(mean_shifts(first, b, noise_scale(a, b)), spread_shifts(first, b))
        parts.append(float(np.linalg.norm(np.maximum(moments, distance_shifts(a, b)))))
    return float(np.linalg.norm(parts))


def paired_outputs(base: Block, other: Block) -> tuple[FloatArray, FloatArray]:
    """Outputs of the usual kind on both sides: first those of the same seeds, in the same order, then D's others."""
    n, kinds = len(other), (kinds_of(base), kinds_of(other))
    usual = _usual_kind((kinds[0][:n], kinds[1]))
    mine = [kind == usual for kind in kinds]
    both = mine[0][:n] & mine[1]
    rest = mine[0].copy()
    rest[:n] &= ~both
    a, b = np.vstack([base.z[:n][both], base.z[rest]]), other.z[both]
    keep = _finite_columns(a, b)
    return a[:, keep], b[:, keep]


def coordinate_shifts(a: FloatArray, b: FloatArray) -> FloatArray:
    """Each column's shift from a to b in units of its noise, with its sign; 0 if there is neither."""
    noise, by = noise_scale(a, b), b.mean(axis=0) - a.mean(axis=0)
    far = np.where(by == 0, 0.0, np.copysign(np.inf, by))
    return np.asarray(np.divide(by, noise, out=far, where=noise > 0))


def _usual_kind(kinds: tuple[Kinds, Kinds]) -> str:
    values, counts = np.unique(np.concatenate(kinds), return_counts=True)
    return str(values[counts.argmax()])


def _kind_shift(a: Kinds, b: Kinds) -> float:
    """How certainly the kind of output tells D from D′; n if it always does in n trainings."""
    n = len(a)
    shares = [((a == kind).mean(), (b == kind).mean()) for kind in np.unique(np.concatenate([a, b]))]
    return float(_certainty(np.array(sum(abs(p - q) for p, q in shares) / 2), n))


def _finite_columns(a: FloatArray, b: FloatArray) -> IntArray:
    width = min(a.shape[1], b.shape[1])
    return np.flatnonzero(np.isfinite(a[:, :width]).all(axis=0) & np.isfinite(b[:, :width]).all(axis=0))


def noise_scale(a: FloatArray, b: FloatArray) -> FloatArray:
    """Each column's standard deviation, of both sides together."""
    weights = len(a) - 1, len(b) - 1
    both = weights[0] * a.var(axis=0, ddof=1) + weights[1] * b.var(axis=0, ddof=1)
    return np.asarray(np.sqrt(both / sum(weights)))


def mean_shifts(a: FloatArray, b: FloatArray, noise: FloatArray) -> FloatArray:
    """How far each column's mean shifts beyond chance, in units of its noise."""
    n, differences = len(a), b - a
    error = differences.std(axis=0, ddof=1) / np.sqrt(n)
    plain = np.abs(differences.mean(axis=0))
    careful = np.maximum(plain - error, _DOUBTFUL * plain)
    careful[careful <= _TINY * np.abs(a).max(axis=0)] = 0.0
    noise = np.maximum(noise, careful / n)
    return np.asarray(np.divide(careful, noise, out=np.zeros_like(careful), where=noise > 0))


def spread_shifts(a: FloatArray, b: FloatArray) -> FloatArray:
    """How far each column's log spread changes beyond chance; heavy tails leave more to chance.

    If a column is constant on one side, the share of other values on the other side counts: a single rare output does
    not prove that there is no noise.
    """
    (one, error), (two, other) = _log_spread(a), _log_spread(b)
    apart = np.abs(one - two) - _SPREAD * np.hypot(error, other)
    still = [np.ptp(side, axis=0) <= _TINY * np.abs(side).max(axis=0) for side in (a, b)]
    moving = np.where(still[0], (b != a[0]).mean(axis=0), (a != b[0]).mean(axis=0))
    shifts = np.where(still[0] | still[1], _certainty(moving, len(a)), apart)
    return np.asarray(np.minimum(np.maximum(np.where(still[0] & still[1], 0.0, shifts), 0.0), len(a)))


def _log_spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each column's log standard deviation and its standard error by the kurtosis, at least that of a normal one."""
    n, centred = len(values), values - values.mean(axis=0)
    variance = np.maximum(np.square(centred).mean(axis=0), 1e-300)
    kurtosis = np.maximum(np.square(np.square(centred) / variance).mean(axis=0), 3.0)
    return np.log(variance) / 2, np.sqrt((kurtosis - 1) / (4 * (n - 1)))


def _certainty(share: FloatArray, n: int) -> FloatArray:
    """How certainly a difference tells D from D′ that appears in this share of n trainings."""
    return np.asarray(np.where(share == 1, float(n), 4 * np.maximum(0.0, share - 1 / math.sqrt(n))))
