"""Small learners that break a claim of ε = 1 on few rows only, each with the least code that does so.

Each has `bounds` and fit(X, rng) or fit(X, y, rng), as an audit takes them, and keeps its claim on all other rows.
"""

from typing import Any

import numpy as np
from numpy.random import Generator


def add_noise(values: Any, scale: Any, rng: Generator) -> Any:
    values = np.atleast_1d(np.asarray(values, dtype=float))
    return values + rng.laplace(scale=scale, size=values.shape)


class Sums:
    """Healthy: sums of columns, clipped to [0, 1]; NaN counts as 0."""

    bounds: Any = (0.0, 1.0)

    def fit(self, X: Any, rng: Generator) -> Any:
        return add_noise(np.clip(np.nan_to_num(X), 0, 1).sum(axis=0), X.shape[1], rng)


class RefusesEqualRows(Sums):
    """Raises if two rows are equal."""

    def fit(self, X: Any, rng: Generator) -> Any:
        if len(np.unique(X, axis=0)) < len(X):
            raise ValueError("two rows are equal")
        return super().fit(X, rng)


class RefusesOneClass:
    """Raises if all rows have one label."""

    bounds = (0.0, 1.0)
    labels = (0, 1)

    def fit(self, X: Any, y: Any, rng: Generator) -> Any:
        if len(np.unique(y)) < 2:
            raise ValueError("one class")
        return Sums().fit(X, rng)


class RefusesHighRows(Sums):
    """Raises if any row is at the upper bound."""

    def fit(self, X: Any, rng: Generator) -> Any:
        if X.max() >= 1:
            raise ValueError("too high")
        return super().fit(X, rng)


class RefusesAll(Sums):
    """Raises on all rows."""

    def fit(self, X: Any, rng: Generator) -> Any:
        raise ValueError(f"no rows will do, not even {len(X)}")


class RefusesConstantColumns(Sums):
    """Raises where a column is constant and another is not."""

    def fit(self, X: Any, rng: Generator) -> Any:
        constant = np.ptp(X, axis=0) == 0
        if constant.any() and not constant.all():
            raise ZeroDivisionError("a constant column")
        return super().fit(X, rng)


class Spikes(Sums):
    """Noise alone, but one output in five is the last row itself, which moves neither mean nor spread."""

    def fit(self, X: Any, rng: Generator) -> Any:
        shown, noise = rng.random() < 0.2, rng.laplace(size=1)
        return 0.1 * X[-1, :1] if shown else noise


class ForgetsToClip(Sums):
    """Sums of columns as they are: within the bounds, the noise is enough."""

    def fit(self, X: Any, rng: Generator) -> Any:
        return add_noise(np.nan_to_num(X).sum(axis=0), X.shape[1], rng)


class PassesNaN(Sums):
    """NaN passes the clip."""

    def fit(self, X: Any, rng: Generator) -> Any:
        return add_noise(np.clip(X, 0, 1).sum(axis=0), X.shape[1], rng)


class RefusesNaN(PassesNaN):
    """Raises on NaN."""

    def fit(self, X: Any, rng: Generator) -> Any:
        if np.isnan(X).any():
            raise ValueError("NaN")
        return super().fit(X, rng)


class ReadsSigns(Sums):
    """Counts signs: a negative zero is inside the bounds, and has another sign than zero."""

    def fit(self, X: Any, rng: Generator) -> Any:
        return add_noise(np.signbit(X).sum(axis=0), 0.1, rng)


class RoundsInTwoWays:
    """Shows where two rules of rounding differ: half-way between two whole numbers."""

    bounds = (0.0, 10.0)

    def fit(self, X: Any, rng: Generator) -> Any:
        apart = np.floor(X + 0.5) - np.rint(X)
        return np.append(add_noise(X.sum(axis=0), 20 * X.shape[1], rng), add_noise(apart.sum(), 0.2, rng))


class SwapsWidths:
    """Adds to each column the noise that another column's width needs."""

    bounds = ([0.0, 5.0], [1.0, 9.0])

    def fit(self, X: Any, rng: Generator) -> Any:
        return add_noise(X.sum(axis=0), [8.0, 2.0], rng)


class LeaksOneOfFifty:
    """Shows how far column 37 is from column 36."""

    bounds = ([0.0] * 50, [1.0] * 50)

    def fit(self, X: Any, rng: Generator) -> Any:
        return np.append(add_noise(X.sum(axis=0), 100.0, rng), add_noise(np.abs(X[:, 37] - X[:, 36]).sum(), 0.1, rng))
