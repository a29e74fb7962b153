"""Several classifiers that learn from the same blocks; the most promising one guesses the next."""

import numpy as np

from mlaudit.distinguish.growing import GrowingDistinguisher
from mlaudit.distinguish.leader import Project, find_leader, keep_contenders, score_held_out
from mlaudit.protocols import Classifier
from mlaudit.types.arrays import FloatArray
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Scorer
from mlaudit.types.shift import PairedShift

_SELDOM = 3  # a challenger that must start again learns before every so many blocks


class Contest:
    """Classifiers that learn from every block, after its guesses were counted.

    Args:
        classifiers: The classifiers; the first one is preferred.
        seen: Draws that do not count, to begin with.
        project: The bound that scores of labelled draws promise.
        shift: What common seeds have shown of the shift, if anything.
    """

    def __init__(
        self, classifiers: tuple[Classifier, ...], seen: Draws, project: Project, shift: PairedShift | None
    ) -> None:
        self._project = project
        self._members = [GrowingDistinguisher(classifier, shift) for classifier in classifiers]
        self._scores = score_held_out(classifiers, seen, shift=shift)
        self._labels = seen.labels
        self._blocks = 0
        self._choose()
        self._add(seen)

    def guess(self, block: Draws) -> FloatArray:
        """Score a block by the leader; then every contender learns from it."""
        for i in self._scores:
            if self._is_due(i):
                self._members[i].refresh()
        found = {i: self._members[i].scores(block) for i in self._scores}
        scores = found[self._leader]
        self._blocks += 1
        self._labels = np.append(self._labels, block.labels)
        self._scores = {i: np.append(self._scores[i], score) for i, score in found.items()}
        self._choose()
        self._add(block)
        return scores

    def learn_rule(self) -> Scorer:
        """The leader's rule, learned on all draws."""
        self._members[self._leader].refresh()
        return self._members[self._leader].scorer

    def _is_due(self, i: int) -> bool:
        return i == self._leader or self._blocks % _SELDOM == 0

    def _choose(self) -> None:
        self._leader = find_leader(self._scores, self._labels, self._project)
        self._scores = keep_contenders(self._scores, self._labels, self._project, self._leader)

    def _add(self, draws: Draws) -> None:
        for i in self._scores:
            self._members[i].add(draws)
