"""The log-likelihood ratio of noise that is simply added, if the shift is known: nothing is learned from labels."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from mlaudit.classifiers._pooled_noise import find_center, find_sizes
from mlaudit.types.arrays import FloatArray
from mlaudit.types.shift import PairedShift

_EXACT = 1e-6  # spread of paired differences, in units of the noise, up to which noise is simply added


@dataclass(frozen=True, eq=False)
class NoiseRatio:
    """Log-odds of D for outputs about two centres whose distance is known, by the family of noise that fits best."""

    family: str
    center: FloatArray
    scale: FloatArray
    shift: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-ratio per row."""
        v = z - self.center
        if self.family == "spherical":
            far, near = (np.linalg.norm((v + sign * self.shift / 2) / self.scale, axis=1) for sign in (1.0, -1.0))
            return np.asarray(far - near)
        if self.family == "laplace":
            half = np.abs(self.shift) / 2
            return np.asarray(2 * (np.clip(v, -half, half) @ (np.sign(self.shift) / self.scale)))
        return np.asarray(v @ (self.shift / self.scale**2))


def fit_noise_ratio(noise: FloatArray, known: PairedShift) -> NoiseRatio | None:
    """Fit Laplace, normal and spherical noise to outputs without their shift; None unless noise is simply added.

    >>> rng = np.random.default_rng(0)
    >>> shift = PairedShift("", np.array([1.0, 0.0]), np.zeros(2), 4)
    >>> [fit_noise_ratio(draw(size=(2000, 2)), shift).family for draw in (rng.laplace, rng.normal)]
    ['laplace', 'normal']
    """
    # Fails for a correct program with probability < 1e-6: log-likelihoods differ by 190 or more, deviation 30.
    center = find_center(noise, known)
    v = noise - center
    size, spread = np.abs(v).mean(axis=0), v.std(axis=0)
    if (known.spread > _EXACT * size).any() or not known.shift.any() or not (size[known.shift != 0] > 0).all():
        return None
    told = size > 0
    d, n = int(told.sum()), len(v)
    size, spread = np.where(told, size, 1.0), np.where(told, spread, 1.0)
    radius = float(np.linalg.norm(v[:, told] / size[told], axis=1).mean()) / d
    sphere = np.log(2) + d / 2 * np.log(np.pi) - gammaln(d / 2) + gammaln(d) + d * np.log(radius)
    fits = {
        "laplace": n * float(np.log(2 * size[told]).sum() + d),
        "normal": n * float(np.log(spread[told]).sum() + d / 2 * np.log(2 * np.pi * np.e)),
        "spherical": n * float(sphere + np.log(size[told]).sum() + d) if d > 1 else np.inf,
    }
    family = min(fits, key=lambda name: fits[name])
    pooled = (np.where(told, value, 1.0) for value in find_sizes(v, known))
    scale = {**dict(zip(("laplace", "normal"), pooled, strict=True)), "spherical": radius * size}[family]
    return NoiseRatio(family, center, scale, np.asarray(known.shift, dtype=float))
