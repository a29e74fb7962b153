"""A distinguisher that learns from more and more draws."""

from dataclasses import dataclass, field

import numpy as np

from mlaudit.distinguish.distinguisher import FEWEST, Distinguisher, KindScorer, learn, refuse_reuse
from mlaudit.protocols import Classifier, Grows, Learner
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray, take_columns
from mlaudit.types.draws import Draws, join
from mlaudit.types.finding import Scorer
from mlaudit.types.shift import PairedShift

_ENOUGH = 60_000  # draws to learn from: more would cost memory and gain nothing


@dataclass(eq=False)
class GrowingDistinguisher:
    """Learns to distinguish D from D′ block by block.

    A classifier that grows learns from every block at once. Any other learns from all blocks, or the latest if there
    are many, whenever `refresh` is called.

    Args:
        classifier: Learns on the numbers of each kind of output.
        shift: What common seeds have shown of the shift.
        fewest: Draws of each label below which a kind of output is scored by its frequency.
    """

    classifier: Classifier
    shift: PairedShift | None = None
    fewest: int = FEWEST
    _past: list[Draws] = field(default_factory=list)
    _kinds: dict[str, "_GrowingKind"] = field(default_factory=dict)
    _learned: Distinguisher | None = None

    def add(self, draws: Draws) -> None:
        """Take in further draws; a classifier that grows learns from them at once."""
        self._past.append(draws)
        if isinstance(self.classifier, Grows):
            for kind, part in _split_kinds(draws):
                if kind not in self._kinds:
                    known = self.shift if self.shift is not None and self.shift.kind == kind else None
                    self._kinds[kind] = _GrowingKind(self.classifier, known, self.fewest)
                self._kinds[kind].add(part.z, part.labels)

    def refresh(self) -> None:
        """Learn from all draws that were taken in, if the classifier does not grow."""
        if not isinstance(self.classifier, Grows):
            self._learned = learn(self.classifier, _latest(self._past), self.fewest)

    def scores(self, draws: Draws) -> FloatArray:
        """Return the log-odds of fresh draws; raise if any draw was learned from."""
        if self._learned is not None:
            return self._learned.scores(draws)
        refuse_reuse(_without_outputs(self._past), draws)
        scores = np.zeros(len(draws))
        for kind, part in _split_kinds(draws):
            if kind in self._kinds:
                scores[draws.kinds == kind] = self._kinds[kind].score(part.z)
        return scores

    @property
    def scorer(self) -> Scorer:
        """The rule that was learned so far."""
        if self._learned is not None:
            return self._learned.scorer
        found = sorted(self._kinds.items())
        kinds, states = tuple(kind for kind, _ in found), [state for _, state in found]
        scorers = tuple(None if state.learner is None else state.learner.scorer for state in states)
        return KindScorer(kinds, tuple(s.odds for s in states), tuple(s.columns for s in states), scorers)


@dataclass(eq=False)
class _GrowingKind:
    """Learns on the coordinates of one kind of output that were finite in every draw so far."""

    classifier: Grows
    known: PairedShift | None
    fewest: int
    learner: Learner | None = None
    columns: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _parts: list[tuple[FloatArray, IntArray]] = field(default_factory=list)
    _counts: tuple[int, int] = (0, 0)

    @property
    def odds(self) -> float:
        """The log-odds of D by frequency alone."""
        zeros, ones = self._counts
        return float(np.log((ones + 0.5) / (zeros + 0.5)))

    def score(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        if self.learner is None or z.shape[1] <= self.columns.max():
            return np.full(len(z), self.odds)
        return self.learner.score(take_columns(z, self.columns))

    def add(self, z: FloatArray, labels: IntArray) -> None:
        """Learn from further draws of this kind."""
        finite = np.asarray(np.isfinite(z).all(axis=0))
        columns = np.flatnonzero(finite) if not self._parts else _keep_finite(self.columns, finite)
        self._parts.append((z, labels))
        ones = int((labels == 1).sum())
        self._counts = self._counts[0] + len(labels) - ones, self._counts[1] + ones
        if self.learner is None or len(columns) != len(self.columns):
            self.columns = columns
            self.learner = self._start()
        else:
            self.learner.add(take_columns(z, columns), labels)

    def _start(self) -> Learner | None:
        """Learn from all draws so far, unless there are too few or no coordinate is left."""
        if min(self._counts) < self.fewest or not len(self.columns):
            return None
        known = None if self.known is None else self.known.at(self.columns)
        learner = self.classifier.start(known)
        z = np.concatenate([take_columns(part, self.columns) for part, _ in self._parts])
        learner.add(z, np.concatenate([labels for _, labels in self._parts]))
        return learner


def _split_kinds(draws: Draws) -> list[tuple[str, Draws]]:
    """The draws of each kind; the draws themselves if there is one kind only."""
    kinds = np.unique(draws.kinds).tolist()
    if len(kinds) == 1:
        return [(str(kinds[0]), draws)]
    found = [(str(kind), draws.kinds == kind) for kind in kinds]
    return [(kind, Draws(draws.labels[mine], draws.z[mine])) for kind, mine in found]


def _keep_finite(columns: IntArray, finite: BoolArray) -> IntArray:
    return np.asarray(
        [column for column in columns.tolist() if column < len(finite) and finite[column]], dtype=np.int64
    )


def _latest(parts: list[Draws]) -> Draws:
    """All draws, or the latest if there are many."""
    kept, size = [], 0
    for part in reversed(parts):
        room = _ENOUGH - size
        if room <= 0:
            break
        kept.append(part if len(part) <= room else part[len(part) - room :])
        size += len(kept[-1])
    return join(kept[::-1])


def _without_outputs(parts: list[Draws]) -> Draws:
    """Which draws there were: enough to know them again."""
    labels, index = (np.concatenate(of) for of in ([p.labels for p in parts], [p.index for p in parts]))
    return Draws(labels, np.empty((len(labels), 0)), index=index, streams=parts[0].streams)
