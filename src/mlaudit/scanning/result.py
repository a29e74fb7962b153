"""What a scan found, row by row."""

from dataclasses import dataclass
from math import inf
from typing import Literal

from mlaudit.scanning.clues import ABSENT, Clue
from mlaudit.scanning.suspects import Suspect
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound

Standing = Literal["violation", "not claimed", "undecided", "consistent"]
ORDER: tuple[Standing, ...] = ("violation", "undecided", "not claimed", "consistent")


@dataclass(frozen=True)
class Leak:
    """One suspect and what fresh trainings say of it: `right` of `guesses` guesses by its clues were right."""

    suspect: Suspect
    bound: Bound
    standing: Standing
    right: int
    guesses: int

    @property
    def reveals(self) -> str:
        """What is seen where."""
        first, *others = self.suspect.clues
        more = f", and {len(others)} more clues" if others else ""
        return f"{in_words(first)}{more}"


@dataclass(frozen=True)
class ScanResult:
    """Every suspect of a learner, the claimed relation first, and how they were looked for."""

    mechanism: str
    stands_for: str
    dataset: str
    claim: Claim
    leaks: tuple[Leak, ...]
    neighbours: int
    paths: int
    pilot: int
    trainings: int
    alpha: float
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def above(self) -> tuple[Leak, ...]:
        """The highest bound of each sort above the claim, or that would be with more trainings; violations first."""
        best: dict[tuple[str, str, bool], Leak] = {}
        for leak in self.leaks:
            sort = leak.suspect.sort
            if leak.standing != "consistent" and (sort not in best or leak.bound.epsilon > best[sort].bound.epsilon):
                best[sort] = leak
        return tuple(sorted(best.values(), key=lambda leak: (ORDER.index(leak.standing), -leak.bound.epsilon)))

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted."""
        return any(leak.standing == "violation" for leak in self.leaks)


def in_words(clue: Clue) -> str:
    """A clue as a sentence's middle.

    >>> in_words(Clue("n_samples_", 100.0, 100.0, None, (40, 0), (40, 40)))
    'n_samples_ is 100 in 40 of 40 trainings on D, 0 of 40 on D′'
    """
    if clue.text is not None:
        said = "is absent" if clue.text == ABSENT else f"is {clue.text!r}"
    elif clue.low == -inf:
        said = f"is at most {clue.high:.6g}"
    else:
        said = f"is {clue.low:.6g}"
    counts = f"in {clue.seen[0]} of {clue.trials[0]} trainings on D, {clue.seen[1]} of {clue.trials[1]} on D′"
    return f"{clue.path} {said} {counts}"
