"""Additive log-odds: the default distinguisher, for noise that is added to shifted outputs."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

from mlaudit.classifiers._features import PAIRED, FeatureMap, make_features
from mlaudit.classifiers._ridge import RidgeModels
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.shift import PairedShift

_ENOUGH = 60_000  # draws to learn from: more would cost memory and gain nothing
_SETTLED = 2000  # draws after which the features stay as they are
_DIGITS = 9  # of a score: equal outputs must have equal scores on every processor
_DECISIVE = 0.5  # weight from which a member is named


@dataclass(frozen=True, eq=False)
class AdditiveScorer:
    """Log-odds that are a weighted sum of features; `rule` names the kinds of features that count most."""

    features: FeatureMap
    weights: FloatArray
    rule: str

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        return np.asarray(np.round(self.features(z) @ self.weights, _DIGITS))


@dataclass(eq=False)
class AdditiveLearner:
    """Additive models that learn from more and more draws; the better one predicted labels so far, the more it counts.

    Args:
        known: The shift from D′ to D, if common seeds have shown it.
    """

    known: PairedShift | None = None
    _past: list[tuple[FloatArray, IntArray]] = field(default_factory=list)
    _map: FeatureMap | None = None
    _settled_at: int = 0

    def add(self, z: FloatArray, labels: IntArray) -> None:
        """Learn from further draws."""
        room = _ENOUGH - self._size
        z, labels = z[:room], labels[:room]
        if not len(z):
            return
        self._past.append((z, labels))
        if self._map is None:
            self._start()
        elif self._is_outgrown():
            self._judge(self._map(z), labels)
            self._restart()
        else:
            features = self._map(z)
            self._judge(features, labels)
            self._models.add(features, labels)
        self._models.fit()

    @property
    def scorer(self) -> AdditiveScorer:
        """The mean of all members, weighted by their past log loss."""
        assert self._map is not None, "add draws first"
        shares = np.asarray(softmax(-self._losses))
        best = int(shares.argmax())
        kinds = [", ".join(member) for member in self._models.members]
        rule = kinds[best] if shares[best] >= _DECISIVE else "mean of several"
        return AdditiveScorer(self._map, self._models.weights @ shares, f"additive ({rule})")

    @property
    def _size(self) -> int:
        return sum(len(labels) for _, labels in self._past)

    def _is_outgrown(self) -> bool:
        """Whether widths, or the screened columns, were chosen on half of the draws that there are now, or fewer."""
        assert self._map is not None
        screened = len(self._map.columns) < self._past[0][0].shape[1]
        return self._size >= 2 * self._settled_at and (self._settled_at < _SETTLED or screened)

    def _start(self) -> None:
        """Learn on half of the first draws, judge every member on the other half, then learn on all."""
        z, labels = self._past[0]
        self._restart()
        self._losses = np.zeros(len(self._models.members))
        # By pairs: labels may alternate.
        early = (np.arange(len(labels)) // 2) % 2 == 0
        if len(set(labels[early].tolist())) < 2 or early.all():
            return
        assert self._map is not None
        features = self._map(z)
        half = self._make_models(self._map)
        half.add(features[early], labels[early])
        half.fit()
        self._losses = _log_losses(features[~early] @ half.weights, labels[~early])
        self._models.weights = half.weights

    def _restart(self) -> None:
        """Choose the features on all draws so far."""
        z, labels = (np.concatenate(part) for part in zip(*self._past, strict=True))
        self._past, self._settled_at = [(z, labels)], len(labels)
        self._map = make_features(z, labels, self.known)
        self._models = self._make_models(self._map)
        self._models.add(self._map(z), labels)

    def _judge(self, features: FloatArray, labels: IntArray) -> None:
        self._losses = self._losses + _log_losses(features @ self._models.weights, labels)

    def _make_models(self, found: FeatureMap) -> RidgeModels:
        kinds = tuple(kind for kind in found.kinds if kind != PAIRED)
        nested = [kinds[:count] for count in (1, 2, 4) if count == 1 or len(kinds) >= count]
        members = list(dict.fromkeys([*nested, kinds]))
        if PAIRED in found.kinds:
            members += [(PAIRED,), *((*member, PAIRED) for member in members)]
        return RidgeModels(found.slices, members, len(found.mean) + 1)


@dataclass(frozen=True)
class Additive:
    """Sums over coordinates of lines and clipped lines, the direction, and a shift known from common seeds.

    Normal noise has linear log-odds, Laplace noise clipped ones, and spherical noise those of a direction. The
    strength of regularisation is learned for each kind of feature, and models with more or fewer kinds are averaged
    by how well they predicted earlier labels. More draws are learned from without starting again.

    >>> z = np.array([[0.0], [0.2], [0.9], [1.1]] * 3)
    >>> bool((Additive().fit(z, np.array([0, 0, 1, 1] * 3))(z) > 0).tolist() == [False, False, True, True] * 3)
    True
    """

    def fit(self, z: FloatArray, labels: IntArray) -> AdditiveScorer:
        """Learn from all draws at once."""
        learner = self.start(None)
        learner.add(z, labels)
        return learner.scorer

    def start(self, known: PairedShift | None) -> AdditiveLearner:
        """Begin to learn from draws that come one block after the other."""
        return AdditiveLearner(known)


def _log_losses(log_odds: FloatArray, labels: IntArray) -> FloatArray:
    """Each member's log loss, summed over the draws."""
    return np.asarray(np.logaddexp(0.0, np.where(labels[:, None] == 1, -log_odds, log_odds)).sum(axis=0))
