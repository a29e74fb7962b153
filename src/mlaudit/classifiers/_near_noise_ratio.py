"""A log-likelihood ratio of noise that is nearly added to a known shift: a good rule before labels have shown one."""

from dataclasses import dataclass

import numpy as np

from mlaudit.classifiers._pooled_noise import find_center
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.shift import PairedShift

_LAPLACE, _BETWEEN = 1.0, 1.5  # powers of the noise's log-density; normal noise has 2
_GAMMA = 0.9027452929509336  # Γ(1 + 1/1.5)
_LATTICE, _LOOKED_AT = 0.5, 500  # share of distinct values below which noise is discrete, and among how many
_LOOSE = 0.5  # spread of paired differences, in units of the noise, up to which noise is nearly added
_SAME = 0.999  # correlation from which on two coordinates say the same
_MOST = 400  # coordinates that are compared with each other


@dataclass(frozen=True, eq=False)
class NearNoiseRatio:
    """Sum of the log-ratios of coordinates, each with noise of density exp(-|v/scale|^power) about two centres.

    Attributes:
        columns: The coordinates that are summed.
        center: The middle between the two centres of each.
        scale: Of the noise of each.
        half: Half of the distance of the centres of each, with its sign.
        power: 1 or 1.5, of the noise of each.
    """

    columns: IntArray
    center: FloatArray
    scale: FloatArray
    half: FloatArray
    power: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-ratio per row."""
        laplace = self.power == _LAPLACE
        v, half = self._scaled(z, laplace)
        found = 2 * (np.clip(v, -np.abs(half), np.abs(half)) @ np.sign(half))
        v, half = self._scaled(z, ~laplace)
        return np.asarray(found + (_raise(v + half) - _raise(v - half)).sum(axis=1))

    def _scaled(self, z: FloatArray, told: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Outputs about their centers, and half of the shift, in units of the noise."""
        v = (z[:, self.columns[told]] - self.center[told]) / self.scale[told]
        return v, self.half[told] / self.scale[told]


def fit_near_noise_ratio(noise: FloatArray, known: PairedShift) -> NearNoiseRatio | None:
    """Fit the noise of every coordinate to outputs without their shift; None unless some noise is nearly added.

    >>> noise = np.random.default_rng(0).normal(size=(2000, 3))
    >>> found = fit_near_noise_ratio(noise, PairedShift("", np.array([1.0, 1.0, 0.0]), np.array([0.1, 3.0, 0.0]), 20))
    >>> found.columns.tolist(), (found(np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])) > 0).tolist()
    ([0], [True, False])
    """
    # Fails for a correct program with probability < 1e-6: the median is never beyond 1.
    center = find_center(noise, known)
    v = noise - center
    size = np.abs(v).mean(axis=0)
    told = np.flatnonzero((size > 0) & (known.shift != 0) & (known.spread <= _LOOSE * size))
    if not len(told):
        return None
    # Rounded: coordinates that tell alike must come in the same order on every processor.
    told = told[np.argsort(-np.round(np.abs(known.shift[told]) / size[told], 9), kind="stable")][:_MOST]
    told = told[drop_same(v[:, told])]
    power, scale = fit_powers(v[:, told])
    return NearNoiseRatio(told, center[told], scale, np.asarray(known.shift[told] / 2, dtype=float), power)


def fit_powers(v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each column's power, by likelihood, and its scale.

    Discrete noise has 1.5: it is often a sum of noise or rounded noise, and likelihoods of densities do not tell.

    >>> fit_powers(np.random.default_rng(0).laplace(scale=3.0, size=(5000, 1)))[0].tolist()
    [1.0]
    >>> fit_powers(np.random.default_rng(0).normal(scale=3.0, size=(5000, 1)))[0].tolist()
    [1.5]
    """
    # Fails for a correct program with probability < 1e-6: log-likelihoods differ by 120 and 200, deviation 19 and 11.
    laplace = np.abs(v).mean(axis=0)
    between = (_BETWEEN * _raise(v).mean(axis=0)) ** (1 / _BETWEEN)
    # The mean log-likelihood of Laplace noise minus that of the other, rounded alike on every processor.
    gain = np.round(np.log(between * _GAMMA / laplace) + 1 / _BETWEEN - 1 / _LAPLACE, 9)
    looked_at = np.sort(v[:_LOOKED_AT], axis=0)
    distinct = (np.diff(looked_at, axis=0) > 0).mean(axis=0)
    exact = (gain > 0) & (distinct >= _LATTICE)
    return np.where(exact, _LAPLACE, _BETWEEN), np.where(exact, laplace, between)


def drop_same(v: FloatArray) -> IntArray:
    """Return the columns in their order, but of those that are perfectly correlated only the first.

    >>> drop_same(np.array([[1.0, 2.0, 0.0], [-1.0, -2.0, 1.0], [0.0, 0.0, 1.0]])).tolist()
    [0, 2]
    """
    unit = v / np.sqrt(np.square(v).sum(axis=0))
    close = np.abs(unit.T @ unit) > _SAME
    kept: list[int] = []
    for column in range(v.shape[1]):
        if not close[column, kept].any():
            kept.append(column)
    return np.array(kept, dtype=int)


def _raise(v: FloatArray) -> FloatArray:
    """|v|^1.5, rounded alike on every processor."""
    size = np.abs(v)
    return np.asarray(size * np.sqrt(size))
