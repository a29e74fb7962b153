"""The result of a trace."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlaudit.results.json import read_result, write_result
from mlaudit.results.verdict import Verdict
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.result import Leak
from mlaudit.scanning.standing import implied_epsilon, relation_of
from mlaudit.tracing.calls import TracedCalls
from mlaudit.tracing.faults import Fault, PairTest
from mlaudit.tracing.text import render, summarise
from mlaudit.types.checks import instance, real, several, text, whole
from mlaudit.types.claim import Claim


@dataclass(frozen=True)
class TraceResult:
    """What a trace found: the calls of a training, what they cost on a pair, and the suspects.

    Args:
        mechanism: The learner's name.
        stands_for: The library and version that it comes from, or "".
        dataset: The name of D.
        claim: The claim.
        neighbour: The pair with the largest loss.
        calls: The noise calls on that pair, line by line.
        budget: The ε that the calls reached by the changed row declare together; None if they declare none.
        faults: The suspects, the gravest first, each with its own pair and its statistical test.
        transcript: The largest loss of all answers together among the recorded transcripts of that pair.
        limit: The same, if all transcripts cost the same and no output bypassed the noise: no output of this pair
            leaks more, if all noise was followed and no draw leads to other code, in exact arithmetic. A trace cannot
            prove these. None if notes say what was not followed.
        pairs: Number of pairs that were tried.
        fits: Number of followed trainings.
        trainings: The most trainings of each statistical test; 0 if none was asked for.
        alpha: One-sided error of all tests together.
        seed: Seed of the trainings.
        notes: Sentences on what was not followed.
        hints: What trainings with equal seeds on both sides show where the noise was not followed. No proof.

    Raises:
        InvalidInput: If a value is of the wrong kind.
    """

    mechanism: str
    stands_for: str
    dataset: str
    claim: Claim
    neighbour: Neighbour
    calls: tuple[TracedCalls, ...]
    budget: float | None
    faults: tuple[Fault, ...]
    transcript: float
    limit: float | None
    pairs: int
    fits: int
    trainings: int
    alpha: float
    seed: int
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("mechanism", "stands_for", "dataset"):
            text(name, getattr(self, name))
        instance("claim", self.claim, Claim)
        instance("neighbour", self.neighbour, Neighbour)
        for name, kind in (("calls", TracedCalls), ("faults", Fault)):
            parts = several(name, getattr(self, name), name)
            object.__setattr__(self, name, tuple(instance("a part", part, kind) for part in parts))
        instance("transcript", self.transcript, (float, int))
        for name in ("budget", "limit"):
            if getattr(self, name) is not None:
                instance(name, getattr(self, name), (float, int))
        for name in ("pairs", "fits", "trainings", "seed"):
            whole(name, getattr(self, name), 0)
        real("alpha", self.alpha, 0, 1)
        for name in ("notes", "hints"):
            sentences = several(name, getattr(self, name), "sentences")
            object.__setattr__(self, name, tuple(text("a sentence", one) for one in sentences))

    @property
    def tests(self) -> tuple[PairTest | Leak, ...]:
        """The statistical tests, one for each pair that was tested."""
        found = {fault.neighbour: fault.test for fault in self.faults}
        return tuple(test for test in found.values() if test is not None)

    @property
    def epsilon_lower(self) -> float:
        """The highest lower bound of a statistical test; 0 if there was none. A transcript is no lower bound."""
        return max((_lower_bound(test, self.claim) for test in self.tests), default=0.0)

    @property
    def violated(self) -> bool:
        """Whether a statistical test refuted the claim."""
        return self.verdict == "violated"

    @property
    def verdict(self) -> Verdict:
        """The verdict of the tests: suspicion is not proof."""
        return "violated" if any(fault.proved for fault in self.faults) else "not_refuted"

    def __str__(self) -> str:
        return render(self)

    def summary(self) -> dict[str, Any]:
        """The result as one object with rows for suspects and for lines: what `mlaudit trace --json` prints."""
        return summarise(self)

    def to_json(self, more: Mapping[str, Any] | None = None) -> str:
        """The result as JSON text: the summary, and under "replay" every value, exactly.

        Args:
            more: Further entries.

        Returns:
            The content of a result file.

        Raises:
            InvalidInput: If `more` has an entry of the result's own, or cannot be written as JSON.
        """
        return write_result(self, self.summary(), more)

    @classmethod
    def from_json(cls, text: str, *, source: str = "the result", trusted: tuple[type, ...] = ()) -> "TraceResult":
        """The result behind JSON text; nothing in the text is executed.

        Args:
            text: What `to_json` returned.
            source: The file's name, for error messages.
            trusted: Your own frozen dataclasses that the result may hold, such as a domain.

        Returns:
            The result.

        Raises:
            InvalidInput: If the text is no whole result of a trace.
        """
        return read_result(cls, text, source, trusted)


def _lower_bound(test: PairTest | Leak, claim: Claim) -> float:
    if isinstance(test, PairTest):
        return test.bound.epsilon
    return implied_epsilon(claim, relation_of(test.suspect.neighbour.pair, claim), test.bound)
