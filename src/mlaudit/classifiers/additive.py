"""Additive log-odds: the default distinguisher, for noise that is added to shifted outputs."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

from mlaudit.classifiers._features import LINEAR, PAIRED, RATIO, SIZE, FeatureMap, make_features
from mlaudit.classifiers._log_loss import sum_log_losses
from mlaudit.classifiers._ridge import RidgeModels
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.shift import PairedShift

_ENOUGH = 60_000  # draws to learn from: more would cost memory and gain nothing
_SETTLED = 2000  # draws after which the features stay as they are
# Nats of a log-ratio of noise before all that is learned: a weak rule learned is mostly noise.
_HEAD_START = 4.0
_DIGITS = 9  # of a score: equal outputs must have equal scores on every processor


@dataclass(frozen=True, eq=False)
class AdditiveScorer:
    """Log-odds that are a weighted sum of features; `rule` names the features of the member with most weight."""

    features: FeatureMap
    weights: FloatArray
    rule: str

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        return self.score_features(self.features(z))

    def score_features(self, features: FloatArray) -> FloatArray:
        """One log-odds per row of features."""
        return np.asarray(np.round(features @ self.weights, _DIGITS))


@dataclass(frozen=True, eq=False)
class _Stage:
    """Features, the models on them, and how many draws the features were chosen on.

    `fixed` are the weights of members that learn nothing from labels: the log-ratio of the noise, if there is one.
    """

    features: FeatureMap
    models: RidgeModels
    chosen_on: int
    names: tuple[tuple[str, ...], ...]
    fixed: FloatArray


@dataclass(eq=False)
class AdditiveLearner:
    """Additive models that learn from more and more draws, averaged by how well each predicted labels so far.

    Args:
        known: The shift from D′ to D, if common seeds have shown it.
    """

    known: PairedShift | None = None
    _past: list[tuple[FloatArray, IntArray]] = field(default_factory=list)
    _stages: list[_Stage] = field(default_factory=list)
    _losses: FloatArray = field(default_factory=lambda: np.zeros(1))
    _last: tuple[FloatArray, FloatArray] | None = None  # outputs that were scored, and their features

    def add(self, z: FloatArray, labels: IntArray) -> None:
        """Learn from further draws."""
        room = _ENOUGH - self._size
        if room <= 0:
            return
        if len(z) > room:
            z, labels = z[:room], labels[:room]
        self._past.append((z, labels))
        if not self._stages:
            self._start()
        else:
            self._continue(z, labels)
        self._stages[-1].models.fit()
        self._last = None

    def score(self, z: FloatArray) -> FloatArray:
        """One log-odds per row; `add` of the same outputs is then cheaper."""
        self._last = z, self._stages[-1].features(z)
        return self.scorer.score_features(self._last[1])

    @property
    def scorer(self) -> AdditiveScorer:
        """The mean of all members, weighted by their past log loss."""
        stage, shares = self._stages[-1], np.asarray(softmax(-self._losses))
        rule = ", ".join(stage.names[int(shares.argmax())])
        return AdditiveScorer(
            stage.features, np.hstack([stage.models.weights, stage.fixed]) @ shares, f"additive ({rule})"
        )

    @property
    def _size(self) -> int:
        return sum(len(labels) for _, labels in self._past)

    def _start(self) -> None:
        """Learn on half of the first draws, judge every member on the other half, then learn on all."""
        labels = self._past[0][1]
        stage, features = self._choose_features()
        start = np.zeros(len(stage.names))
        if stage.features.ratio is not None:
            start[-1] = -np.log(len(start) - 1.0) - _HEAD_START
        self._losses = start
        # By pairs: labels may alternate.
        early = (np.arange(len(labels)) // 2) % 2 == 0
        if len(set(labels[early].tolist())) == 2 and not early.all():
            half = make_models(stage.features)
            half.add(features[early], labels[early])
            half.fit()
            self._losses = start + sum_log_losses(
                features[~early] @ np.hstack([half.weights, stage.fixed]), labels[~early]
            )
            stage.models.weights = half.weights
        stage.models.add(features, labels)
        self._stages = [stage]

    def _continue(self, z: FloatArray, labels: IntArray) -> None:
        """Judge every member on the draws before it learns from them."""
        stage = self._stages[-1]
        features = self._last[1] if self._last is not None and self._last[0] is z else stage.features(z)
        self._losses = self._losses + sum_log_losses(
            features @ np.hstack([stage.models.weights, stage.fixed]), labels
        )
        screened = len(stage.features.columns) < z.shape[1]
        if self._size >= 2 * stage.chosen_on and (stage.chosen_on < _SETTLED or screened):
            # Widths, and the screened columns, were chosen on too few draws.
            stage, features = self._choose_features()
            labels = self._past[0][1]
            self._stages = [stage]
        stage.models.add(features, labels)

    def _choose_features(self) -> tuple[_Stage, FloatArray]:
        """Choose the features on all draws so far; return also the features of these draws."""
        z, labels = (np.concatenate(part) for part in zip(*self._past, strict=True))
        self._past = [(z, labels)]
        before = self._stages[-1].features if self._stages else None
        features = make_features(z, labels, self.known, before)
        models = make_models(features)
        fixed = np.zeros((models.width, 0 if features.ratio is None else 1))
        fixed[-1:] = features.deviation[-1]  # features are standardised; this one is a log-ratio as it is
        names = (*models.members, *([(RATIO,)] * fixed.shape[1]))
        return _Stage(features, models, len(labels), names, fixed), features(z)


def make_models(features: FeatureMap) -> RidgeModels:
    """Regressions on few kinds of features and on many; each without and with the known shift."""
    kinds = tuple(kind for kind in features.kinds if kind not in (PAIRED, RATIO))
    shapes = tuple(kind for kind in kinds if kind != SIZE)  # of a shift; the size is for a changed spread
    members = list(dict.fromkeys([shapes[:1], shapes[:2], shapes]))
    spreads = [(SIZE,), (LINEAR, SIZE)] if SIZE in kinds else []
    if PAIRED in features.kinds:
        members += [(PAIRED,), *((*member, PAIRED) for member in members)]
    return RidgeModels(features.slices, [*members, *spreads], len(features.mean) + 1)


@dataclass(frozen=True)
class Additive:
    """Sums over coordinates of lines and clipped lines, the direction, and a shift known from common seeds.

    Normal noise has linear log-odds, Laplace noise clipped ones, and spherical noise those of a direction. The
    strength of regularisation is learned for each kind of feature, and models with more or fewer kinds are averaged
    by how well they predicted earlier labels. More draws are learned from without starting again.

    >>> z = np.array([[0.0], [0.2], [0.9], [1.1]] * 3)
    >>> (Additive().fit(z, np.array([0, 0, 1, 1] * 3))(z[:4]) > 0).tolist()
    [False, False, True, True]
    """

    def fit(self, z: FloatArray, labels: IntArray) -> AdditiveScorer:
        """Learn from all draws at once."""
        learner = self.start(None)
        learner.add(z, labels)
        return learner.scorer

    def start(self, known: PairedShift | None) -> AdditiveLearner:
        """Begin to learn from draws that come one block after the other."""
        return AdditiveLearner(known)
