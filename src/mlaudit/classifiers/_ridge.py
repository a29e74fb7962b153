"""Several ridge logistic regressions on one Gram matrix that is only added to."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from mlaudit.types.arrays import FloatArray, IntArray

_CURVATURE = 0.25  # the most that the logistic loss curves: p (1 − p) at p = 1/2 (Böhning's bound)
_WEAKEST = 1e-3  # ridge of the intercept
_STRONGEST = 1e9  # ridge of a kind of feature that shows nothing
_LEAST = 1e-9  # ridge of any feature, per draw: few draws of equal features have no inverse
_UNFAIR = 3.0  # standard errors from which on the labels of a kind of output are no fair coins
_STEPS = 8
_SHORTEST, _LONGEST = 0.3, 4.0  # factors of a step that the bound gives; the true curvature is smaller
_GAIN = 0.02  # nats: a step that gains less is the last one


@dataclass(eq=False)
class RidgeModels:
    """Logistic regressions on subsets (`members`) of the same features; the strength of each ridge is learned.

    Learning again after more draws costs their part of the Gram matrix and a few steps from the weights so far.

    Args:
        slices: Where the features of each kind are; the first feature is the intercept.
        members: The kinds that each regression uses.
        width: The number of features.
    """

    slices: dict[str, slice]
    members: Sequence[tuple[str, ...]]
    width: int
    weights: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.weights = np.zeros((self.width, len(self.members)))
        self._gram = np.zeros((self.width, self.width))
        self._sums = np.zeros(self.width)  # of the features of label 1
        self._parts: list[tuple[FloatArray, FloatArray]] = []
        here = [
            np.concatenate([np.arange(s.start, s.stop) for k in m for s in [self.slices[k]]]) for m in self.members
        ]
        self._indices: list[IntArray] = [np.append(0, found) for found in here]

    def add(self, features: FloatArray, labels: IntArray) -> None:
        """Take in more draws; `fit` learns from them."""
        ones = labels.astype(float)
        self._gram += features.T @ features
        self._sums += features.T @ ones
        self._parts.append((features, ones))

    def fit(self) -> None:
        """Take a few steps towards the minimum; each is at least as short as makes the loss fall."""
        ridges = self._ridges()
        factors = [
            cho_factor(_CURVATURE * self._gram[np.ix_(at, at)] + np.diag(ridge))
            for at, ridge in zip(self._indices, ridges, strict=True)
        ]
        log_odds = [features @ self.weights for features, _ in self._parts]
        for _ in range(_STEPS):
            step, gains = self._find_step(log_odds, factors, ridges)
            moves = [features @ step for features, _ in self._parts]
            lengths = self._lengths(log_odds, moves, step, gains, ridges)
            self.weights += lengths * step
            log_odds = [old + lengths * move for old, move in zip(log_odds, moves, strict=True)]
            if max(gains) < _GAIN:
                break

    def _find_step(
        self, log_odds: list[FloatArray], factors: list[tuple[FloatArray, bool]], ridges: list[FloatArray]
    ) -> tuple[FloatArray, list[float]]:
        """The step of each member by the bound on its curvature, and twice what it gains."""
        slope = np.zeros_like(self.weights)
        for (features, ones), odds in zip(self._parts, log_odds, strict=True):
            slope += features.T @ (expit(odds) - ones[:, None])
        step, gains = np.zeros_like(self.weights), []
        for j, (at, factor, ridge) in enumerate(zip(self._indices, factors, ridges, strict=True)):
            down = -(slope[at, j] + ridge * self.weights[at, j])
            step[at, j] = cho_solve(factor, down)
            gains.append(float(down @ step[at, j]))
        return step, gains

    def _lengths(
        self,
        log_odds: list[FloatArray],
        moves: list[FloatArray],
        step: FloatArray,
        gains: list[float],
        ridges: list[FloatArray],
    ) -> FloatArray:
        """Newton's length along each step, by the true curvature."""
        own = zip(self._indices, ridges, strict=True)
        curvature = np.array([ridge @ step[at, j] ** 2 for j, (at, ridge) in enumerate(own)])
        for odds, move in zip(log_odds, moves, strict=True):
            share = expit(odds)
            curvature += (share * (1.0 - share) * move * move).sum(axis=0)
        return np.asarray(np.clip(np.asarray(gains) / np.maximum(curvature, 1e-12), _SHORTEST, _LONGEST))

    def _ridges(self) -> list[FloatArray]:
        """The inverse variance of each kind's weights, by moments of the slope at 0 (Haseman and Elston)."""
        n = self._gram[0, 0]
        mean, share = self._gram[0] / n, self._sums[0] / n
        slope = self._sums - share * self._gram[0]
        fisher = share * (1.0 - share) * (self._gram - n * np.outer(mean, mean))
        kinds = list(self.slices)
        excess = np.array([(slope[s] ** 2).sum() - np.trace(fisher[s, s]) for s in self.slices.values()])
        cross = np.array([[(fisher[a, b] ** 2).sum() for b in self.slices.values()] for a in self.slices.values()])
        fair = (share - 0.5) ** 2 * n * 4 <= _UNFAIR**2
        found = [self._member_ridge(m, kinds, excess, cross, fair=fair) for m in self.members]
        return [np.maximum(ridge, _LEAST * n) for ridge in found]

    def _member_ridge(
        self, member: tuple[str, ...], kinds: list[str], excess: FloatArray, cross: FloatArray, *, fair: bool
    ) -> FloatArray:
        from scipy.optimize import nnls  # noqa: PLC0415 - a fifth of a second, which tests by bets are spared

        at = [kinds.index(kind) for kind in member]
        unit = np.maximum(cross[at, at], 1e-300)
        variance = nnls(cross[np.ix_(at, at)] / unit[:, None], excess[at] / unit)[0]
        ridge = 1.0 / np.maximum(variance, 1.0 / _STRONGEST)
        widths = [self.slices[kind].stop - self.slices[kind].start for kind in member]
        # Features are centred and labels are fair coins: the intercept is small where the log-odds vary little.
        spread = max(float(variance @ np.array(widths)), 1.0 / _STRONGEST)
        intercept = max(_WEAKEST, spread**-2) if fair else _WEAKEST
        return np.append(intercept, np.repeat(ridge, widths))
