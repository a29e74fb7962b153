"""Several distinguishers that learn from the same blocks; the mixture of their guesses is weighted by past losses."""

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from mlaudit.distinguish.growing import GrowingDistinguisher
from mlaudit.distinguish.panel import PanelScorer, mix_prequentially, tempered_log_odds
from mlaudit.protocols import Classifier, Grows
from mlaudit.types.arrays import FloatArray
from mlaudit.types.draws import Draws
from mlaudit.types.shift import PairedShift

_FEWEST = 3  # draws of each label that a distinguisher learns from


class Mixture:
    """Learns from every block after its guesses were counted.

    Args:
        classifiers: The classifiers of the members.
        seen: Draws that do not count, to begin with.
    """

    def __init__(self, classifiers: Sequence[Classifier], seen: Draws) -> None:
        self._classifiers = tuple(classifiers)
        self._past = [seen]
        self._members = [_learn_from(classifier, None, self._past) for classifier in classifiers]
        self._losses: FloatArray | None = None

    def __len__(self) -> int:
        """How many draws were learned from."""
        return sum(map(len, self._past))

    @property
    def can_use_shift(self) -> bool:
        """Whether a member could use a shift that is known."""
        return any(isinstance(classifier, Grows) for classifier in self._classifiers)

    def know_shift(self, shift: PairedShift) -> None:
        """Give the shift to the members that can use it, and the weight of the best of all to them."""
        able = [i for i, classifier in enumerate(self._classifiers) if isinstance(classifier, Grows)]
        for i in able:
            self._members[i] = _learn_from(self._classifiers[i], shift, self._past)
        if self._losses is not None:
            known = np.tile(np.isin(np.arange(len(self._members)), able), len(self._losses) // len(self._members))
            self._losses = np.where(known, self._losses.min(), self._losses)

    def guess(self, block: Draws) -> FloatArray:
        """The log-odds of each draw of a fresh block, which is then learned from."""
        log_odds = tempered_log_odds([member.scores(block) for member in self._members], self._limit)
        scores, self._losses = mix_prequentially(log_odds, block.labels, self._losses)
        self._past.append(block)
        for member in self._members:
            member.add(block)
            member.refresh()
        return scores

    @property
    def scorer(self) -> PanelScorer:
        """The mixture for further draws."""
        members = tuple(member.scorer for member in self._members)
        width = tempered_log_odds([np.zeros(1)] * len(members), 1.0).shape[1]
        weights = np.asarray(softmax(-(np.zeros(width) if self._losses is None else self._losses)))
        return PanelScorer(members, weights, self._limit)

    @property
    def _limit(self) -> float:
        """The largest log-odds that n draws can teach, ln(n + 1)."""
        return float(np.log(len(self) + 1))


def _learn_from(classifier: Classifier, shift: PairedShift | None, past: Sequence[Draws]) -> GrowingDistinguisher:
    made = GrowingDistinguisher(classifier, shift, _FEWEST)
    for draws in past:
        made.add(draws)
    made.refresh()
    return made
