"""The result of a scan: every suspect with its bound."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from mlaudit.distinguish.clues import ABSENT, Clue
from mlaudit.errors import InvalidInput
from mlaudit.results.json import read_result, write_result
from mlaudit.results.verdict import VERDICTS, Verdict
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.standing import ORDER, Standing, implied_epsilon, relation_of, standing
from mlaudit.scanning.suspects import Suspect, check_clues
from mlaudit.scanning.text import render, summarise
from mlaudit.types.card import DataCard
from mlaudit.types.checks import choice, instance, quote, real, several, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding
from mlaudit.types.numbers import measurement
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Leak:
    """One suspect, counted on fresh trainings: `right` of `guesses` guesses by its clues were correct.

    Args:
        suspect: The attribute, the neighbour and the clues.
        bound: The lower bound on ε under the neighbour's own relation.
        standing: What the bound means for the claim.
        right: Number of correct guesses.
        guesses: Number of guesses.
        repeated: The bound on fresh trainings, if the first bound refutes the claim; else None.
        repeated_on: Number of fresh trainings.
        finding: The evidence, and the rule by which `mlaudit replay` counts it again, if the first bound refutes the
            claim; else None.
    """

    suspect: Suspect
    bound: Bound
    standing: Standing
    right: int
    guesses: int
    repeated: Bound | None = None
    repeated_on: int = 0
    finding: Finding | None = None

    def __post_init__(self) -> None:
        _check_suspect(self.suspect)
        instance("bound", self.bound, Bound)
        if self.repeated is not None:
            instance("repeated", self.repeated, Bound)
        if self.finding is not None:
            instance("finding", self.finding, Finding)
        whole("repeated_on", self.repeated_on, 0)
        choice("standing", self.standing, ORDER)
        if whole("right", self.right, 0) > whole("guesses", self.guesses, 0):
            raise InvalidInput(f"right must be at most guesses, got {quote(self.right)} of {quote(self.guesses)}")

    @property
    def reveals(self) -> str:
        """What the strongest clue is, and how many more there are."""
        first, *others = self.suspect.clues
        more = f", and {len(others)} more clues" if others else ""
        return f"{describe_clue(first)}{more}"


@dataclass(frozen=True)
class ScanResult:
    """Every suspect that a scan found in a learner's fitted object, with its bound.

    Args:
        mechanism: The learner's name.
        stands_for: The library and version that it comes from, or "".
        dataset: The name of D.
        claim: The claim that was audited.
        leaks: Every suspect with its bound. All bounds hold together with confidence 1 − alpha.
        neighbours: Number of neighbours of D that were tried.
        paths: Number of paths of the fitted object that were looked at.
        pilot: Trainings of each dataset that looked for suspects.
        trainings: Largest number of fresh trainings for each suspect.
        alpha: One-sided error of all bounds together.
        seed: Seed of the trainings.
        notes: Sentences on what limits the result.
        card: What was done to the table that D comes from; None if D came as numbers.

    Raises:
        InvalidInput: If a value is of the wrong kind, or the standing of a leak does not follow from its bound.

    Example:
        >>> from mlaudit.types.claim import Claim
        >>> ScanResult("mean", "", "toy", Claim(1.0), (), 18, 40, 40, 400, 0.05, 0).violated
        False
    """

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
    card: DataCard | None = None

    def __post_init__(self) -> None:
        for name in ("mechanism", "stands_for", "dataset"):
            text(name, getattr(self, name))
        instance("claim", self.claim, Claim)
        for name in ("neighbours", "paths", "pilot", "trainings", "seed"):
            whole(name, getattr(self, name), 0)
        real("alpha", self.alpha, 0, 1)
        if self.card is not None:
            instance("card", self.card, DataCard)
        notes = several("notes", self.notes, "sentences")
        object.__setattr__(self, "notes", tuple(text("a note", note) for note in notes))
        leaks = several("leaks", self.leaks, "leaks")
        object.__setattr__(self, "leaks", tuple(instance("a leak", leak, Leak) for leak in leaks))
        for leak in self.leaks:
            _check_standing(leak, self.claim)

    @property
    def epsilon_lower(self) -> float:
        """The highest lower bound on the claimed ε among all suspects; 0 if there is none."""
        bounds = ((relation_of(leak.suspect.neighbour.pair, self.claim), leak.bound) for leak in self.leaks)
        return max((implied_epsilon(self.claim, relation, bound) for relation, bound in bounds), default=0.0)

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.verdict == "violated"

    @property
    def verdict(self) -> Verdict:
        """The verdict: the gravest of all suspects under the claimed relation."""
        found = {leak.standing for leak in self.leaks}
        return next((verdict for verdict in VERDICTS if verdict in found), "not_refuted")

    @property
    def above(self) -> tuple[Leak, ...]:
        """The highest bound of each sort above the claim, or that would be with more trainings; the gravest first."""
        best: dict[tuple[str, str, bool], Leak] = {}
        for leak in self.leaks:
            sort = leak.suspect.sort
            if leak.standing != "not_refuted" and (sort not in best or leak.bound.epsilon > best[sort].bound.epsilon):
                best[sort] = leak
        return tuple(sorted(best.values(), key=lambda leak: (ORDER.index(leak.standing), -leak.bound.epsilon)))

    def __str__(self) -> str:
        return render(self)

    def summary(self) -> dict[str, Any]:
        """The result as one object with a row for every suspect: what `mlaudit scan --json` prints."""
        return summarise(self)

    def to_json(self, more: Mapping[str, Any] | None = None) -> str:
        """The result as JSON text: the summary, and under "replay" every value, exactly.

        Args:
            more: Further entries, such as the command that repeats the scan.

        Returns:
            The content of a result file.

        Raises:
            InvalidInput: If `more` has an entry of the result's own, or cannot be written as JSON.
        """
        return write_result(self, self.summary(), more)

    @classmethod
    def from_json(cls, text: str, *, source: str = "the result", trusted: tuple[type, ...] = ()) -> "ScanResult":
        """The result behind JSON text; nothing in the text is executed.

        Args:
            text: What `to_json` returned.
            source: The file's name, for error messages.
            trusted: Your own frozen dataclasses that the result may hold, such as a domain.

        Returns:
            The result.

        Raises:
            InvalidInput: If the text is no whole result of a scan.
        """
        return read_result(cls, text, source, trusted)


def describe_clue(clue: Clue) -> str:
    """A clue in words.

    >>> describe_clue(Clue("n_samples_", 100.0, 100.0, None, (40, 0), (40, 40)))
    'n_samples_ is 100 in 40 of 40 trainings on D, 0 of 40 on D′'
    """
    if clue.text is not None:
        said = "is absent" if clue.text == ABSENT else f"is {clue.text!r}"
    elif clue.low == -inf:
        said = f"is at most {measurement(clue.high, 6)}"
    else:
        said = f"is {measurement(clue.low, 6)}"
    counts = f"in {clue.seen[0]} of {clue.trials[0]} trainings on D, {clue.seen[1]} of {clue.trials[1]} on D′"
    return f"{clue.path} {said} {counts}"


def _check_suspect(suspect: object) -> None:
    """Suspects and clues are made by the thousand and check nothing themselves; those of a result may be read."""
    found = instance("suspect", suspect, Suspect)
    text("attribute", found.attribute)
    text("change", instance("neighbour", found.neighbour, Neighbour).change)
    instance("pair", found.neighbour.pair, Pair)
    check_clues(found.clues)


def _check_standing(leak: Leak, claim: Claim) -> None:
    wanted = standing(claim, relation_of(leak.suspect.neighbour.pair, claim), leak.bound, leak.repeated)
    if leak.standing not in ((wanted, "inconclusive") if wanted == "not_refuted" else (wanted,)):
        raise InvalidInput(f"the standing of a leak must follow from its bound, got {quote(leak.standing)}")
