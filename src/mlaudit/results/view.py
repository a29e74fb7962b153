"""Rules that score another view of a learner than its summary, such as an attribute of the fitted object."""

from typing import Protocol, runtime_checkable

from mlaudit.protocols import Mechanism
from mlaudit.types.finding import Scorer
from mlaudit.types.pair import Pair


@runtime_checkable
class ViewsOutput(Protocol):
    """A scorer that says which output it scores; a replay draws that output instead of the summary."""

    def view(self, mechanism: Mechanism, pair: Pair) -> Mechanism:
        """The mechanism with the output that is scored."""


def view_output(mechanism: Mechanism, pair: Pair, scorer: Scorer) -> Mechanism:
    """The mechanism with the output that the scorer is about: most often its own summary.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> from mlaudit.types.dataset import Dataset
    >>> view_output(Laplace(), Pair(Dataset([0.0]), Dataset([1.0])), len) == Laplace()
    True
    """
    return scorer.view(mechanism, pair) if isinstance(scorer, ViewsOutput) else mechanism
