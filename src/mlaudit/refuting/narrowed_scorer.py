"""The rule of a finding behind an earlier one, whole: what was left out of the output, and how the rest is scored."""

from dataclasses import dataclass

from mlaudit.protocols import Mechanism
from mlaudit.refuting.narrowed import NarrowedMechanism, Narrowing
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import function, instance
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Scorer
from mlaudit.types.pair import Pair


@dataclass(frozen=True, eq=False)
class NarrowedScorer:
    """Scores what is left of an output; a replay needs no more than this and the pair."""

    narrowing: Narrowing
    scorer: Scorer

    def __post_init__(self) -> None:
        instance("narrowing", self.narrowing, Narrowing)
        function("scorer", self.scorer, "a function of draws")

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw of the view."""
        return self.scorer(draws)

    def view(self, mechanism: Mechanism, pair: Pair) -> Mechanism:
        """The learner without the part that was left out; the pair lies in the domain that was searched."""
        return NarrowedMechanism(mechanism, self.narrowing, pair.base.domain)
