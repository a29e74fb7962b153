"""What an audit found: the counts, the bound they give, and the witness that shows it again."""

from dataclasses import dataclass
from math import inf, isinf
from typing import ClassVar, Protocol

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.checks import flag, function, instance, quote, real, several, text, whole
from mlaudit.types.draws import Draws


@dataclass(frozen=True)
class ArmCounts:
    """How often the output fell into S on the side S was made for (`hits` of `trials`), and on the other.

    The side is D, or D′ where the witness says `complement`.

    >>> ArmCounts(402, 120, 500, 500).hits
    402
    """

    hits: int
    false_hits: int
    trials: int
    false_trials: int

    def __post_init__(self) -> None:
        for name in ("hits", "false_hits"):
            whole(name, getattr(self, name), 0)
        for name in ("trials", "false_trials"):
            whole(name, getattr(self, name), 1)
        if self.hits > self.trials or self.false_hits > self.false_trials:
            counts = (self.hits, self.trials, self.false_hits, self.false_trials)
            raise InvalidInput(
                "hits must not exceed trials, got {} of {} and {} of {}".format(*(quote(count) for count in counts))
            )


@dataclass(frozen=True)
class GuessCounts:
    """Of the `guesses[j]` most confident guesses `correct[j]` were correct, for nested sets j.

    `canaries` is how many there were in the one training that all guesses are about; 0 where each is about a training
    of its own.

    >>> GuessCounts((9, 70), (10, 100)).counted
    100
    """

    correct: tuple[int, ...]
    guesses: tuple[int, ...]
    canaries: int = 0

    # Results before version 0.3 state how many correct guesses they left out because of δ.
    dropped_in_files: ClassVar[tuple[str, ...]] = ("allowance",)

    def __post_init__(self) -> None:
        for name in ("correct", "guesses"):
            counts = several(name, getattr(self, name), "whole numbers")
            object.__setattr__(self, name, tuple(whole(f"an entry of {name}", count, 0) for count in counts))
        whole("canaries", self.canaries, 0)
        sizes = list(self.guesses)
        if not sizes or len(sizes) != len(self.correct) or sizes != sorted(sizes):
            raise InvalidInput(
                f"guess counts need nested sets of growing size, one count each, got {quote(self.correct)} of "
                f"{quote(self.guesses)}"
            )
        if any(not 0 <= c <= r for c, r in zip(self.correct, self.guesses, strict=True)):
            raise InvalidInput(
                f"correct guesses must not exceed guesses, got {quote(self.correct)} of {quote(self.guesses)}"
            )
        if self.canaries and (len(sizes) > 1 or sizes[0] > self.canaries):
            raise InvalidInput(
                "canaries of one training need one set of guesses, at most one guess for each canary, got "
                f"{quote(self.guesses)} guesses at {quote(self.canaries)} canaries"
            )

    @property
    def counted(self) -> int:
        """How many trainings the bound was counted on."""
        return self.guesses[-1]


@dataclass(frozen=True, eq=False)
class Bets:
    """Guesses in the order they were made: how sure each was (its log-odds of being correct), and whether it was.

    `learned` trainings came before the first of them and were only learned from.

    >>> Bets(np.array([0.0, 2.0]), np.array([False, True]), learned=8).spent
    10
    """

    sureness: FloatArray
    right: BoolArray
    learned: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sureness", numbers("sureness", self.sureness))
        right = numbers("right", self.right, "give True or False for each guess")
        if not np.isin(right, (0.0, 1.0)).all():
            raise InvalidInput(f"right must be True or False for each guess, got {quote(self.right)}")
        object.__setattr__(self, "right", right.astype(np.bool_))
        whole("learned", self.learned, 0)
        if self.sureness.ndim != 1 or self.sureness.shape != self.right.shape or not (self.sureness >= 0).all():
            raise InvalidInput(
                "each guess needs a confidence of at least 0 and True or False for correct or wrong, got arrays of "
                f"shape {self.sureness.shape} and {self.right.shape}"
            )

    @property
    def counted(self) -> int:
        """How many trainings were bet on."""
        return len(self.right)

    @property
    def spent(self) -> int:
        """How many trainings there were in all."""
        return self.learned + self.counted


Evidence = ArmCounts | GuessCounts | Bets


@dataclass(frozen=True)
class Bound:
    """With confidence 1 − α the true ε is at least `epsilon`; no outcome could show more than `ceiling`.

    `assuming` names what the bound takes for granted beyond (ε, δ)-DP itself: "" for nothing.

    >>> Bound(0.87, 7.2, 0.05, 1, "nested scan").epsilon
    0.87
    """

    epsilon: float
    ceiling: float
    alpha: float
    steps: int
    method: str
    assuming: str = ""

    def __post_init__(self) -> None:
        real("epsilon", self.epsilon, 0, inf, closed_low=True)
        real("ceiling", self.ceiling, 0, inf, closed_low=True)
        real("alpha", self.alpha, 0, 1)
        whole("steps", self.steps, 1)
        text("method", self.method)
        text("assuming", self.assuming)


class Scorer(Protocol):
    """A learned log-odds that a training was on D: a frozen dataclass of numbers, so it can be saved."""

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw."""


@dataclass(frozen=True)
class Witness:
    """How to tell D from D′ again: score a training; S is {score > threshold}, or below it for `complement`.

    Without a threshold the rule is to guess the sign of the score, the most confident guesses first.
    """

    scorer: Scorer
    threshold: float | None = None
    complement: bool = False

    def __post_init__(self) -> None:
        function("scorer", self.scorer, "a function of draws")
        flag("complement", self.complement)
        # A set may hold all outputs or none: then its threshold is infinite.
        if self.threshold is not None and not (isinstance(self.threshold, float) and isinf(self.threshold)):
            real("threshold", self.threshold, -inf, inf)


@dataclass(frozen=True)
class ScoreCounts:
    """How the distinguisher scored what was counted: trainings on D and on D′ in bins between growing `edges`.

    Scores beyond the outer edges are in the outer bins. It shows a finding to people; no bound is computed from it.

    >>> ScoreCounts((-1.0, 0.0, 1.0), on_base=(1, 3), on_neighbour=(4, 0)).counted
    8
    """

    edges: tuple[float, ...]
    on_base: tuple[int, ...]
    on_neighbour: tuple[int, ...]

    def __post_init__(self) -> None:
        for name, wanted in (("edges", "numbers"), ("on_base", "counts"), ("on_neighbour", "counts")):
            object.__setattr__(self, name, several(name, getattr(self, name), wanted))
        edges = [real("an edge", edge, -inf, inf) for edge in self.edges]
        if edges != sorted(set(edges)) or not len(self.on_base) == len(self.on_neighbour) == len(edges) - 1 > 0:
            raise InvalidInput(
                "score counts need growing edges and one count of either side between any two, got "
                f"{len(edges)} edges, {len(self.on_base)} and {len(self.on_neighbour)} counts"
            )
        for count in (*self.on_base, *self.on_neighbour):
            whole("a score count", count, 0)

    @property
    def counted(self) -> int:
        """How many trainings there were."""
        return sum(self.on_base) + sum(self.on_neighbour)


@dataclass(frozen=True)
class Finding:
    """A bound, the evidence it was computed from, the witness to confirm it with, and how that scored."""

    bound: Bound
    evidence: Evidence
    witness: Witness
    scores: ScoreCounts | None = None

    def __post_init__(self) -> None:
        instance("bound", self.bound, Bound)
        instance("evidence", self.evidence, (ArmCounts, GuessCounts, Bets))
        instance("witness", self.witness, Witness)
        if self.scores is not None:
            instance("scores", self.scores, ScoreCounts)
