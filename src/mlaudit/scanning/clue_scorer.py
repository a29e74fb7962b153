"""The rule of a leak, whole: which paths of the fitted object it reads, and how it scores what they say."""

from dataclasses import dataclass

from mlaudit.distinguish.clues import Clue
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.scores import SuspectScores
from mlaudit.scanning.suspects import Suspect, check_clues
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import function, text
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Scorer
from mlaudit.types.pair import Pair


@dataclass(frozen=True, eq=False)
class ClueScorer:
    """Scores a training by the clues of a suspect; a replay needs no more than this and the pair.

    Args:
        attribute: The attribute that the clues are about.
        clues: The clues.
        probes: The rows that the model is asked about.
        scorer: Turns the sum of the clues' scores into log-odds.
    """

    attribute: str
    clues: tuple[Clue, ...]
    probes: FloatArray
    scorer: Scorer

    def __post_init__(self) -> None:
        text("attribute", self.attribute)
        object.__setattr__(self, "clues", check_clues(self.clues))
        object.__setattr__(self, "probes", numbers("probes", self.probes))
        if self.probes.ndim != 2:
            raise InvalidInput(f"probes must be rows, got an array of shape {self.probes.shape}")
        function("scorer", self.scorer, "a function of draws")

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw of the view."""
        return self.scorer(draws)

    def view(self, mechanism: Mechanism, pair: Pair) -> Mechanism:
        """The learner with the score of these clues as its output."""
        suspect = Suspect(self.attribute, Neighbour("", pair), self.clues, 0.0)
        return SuspectScores(mechanism, self.probes, (suspect,))
