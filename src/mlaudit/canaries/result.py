"""The outcome of an audit by canaries."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal, get_args

from mlaudit.canaries.text import render, summarise
from mlaudit.results.detectable import detectable_epsilon
from mlaudit.results.json import read_object, read_result, write_result
from mlaudit.results.verdict import Verdict, judge
from mlaudit.types.checks import choice, instance, mapping, real, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, GuessCounts

Kind = Literal["one run", "white box"]


def is_canary_result(content: str, source: str) -> bool:
    """Whether the text of a result file is that of an audit by canaries.

    >>> is_canary_result('{"kind": "one run"}', "result.json"), is_canary_result("{}", "result.json")
    (True, False)
    """
    return read_object(content, source).get("kind") in get_args(Kind)


@dataclass(frozen=True)
class CanaryResult:
    """The result of an audit by canaries: the claim, the bound, and the counts behind it.

    Args:
        kind: "one run" or "white box".
        trainer: The trainer's name.
        parameters: Its parameters, by name.
        claim: The claim that was audited.
        bound: The lower bound on ε.
        counts: How many guesses were correct.
        trainings: Number of trainings.
        seed: Seed of the coin flips and of the trainings.
        versions: The versions of the packages that took part.
        stands_for: The library and version that the trainer comes from, or "".
        mu: The lower bound on sensitivity over noise of one step, where steps were observed; else None.

    Raises:
        InvalidInput: If a value is of the wrong kind.

    Example:
        >>> from mlaudit.types.claim import Relation
        >>> claim, counts = Claim(1.0, relation=Relation.ADD_REMOVE), GuessCounts((90,), (100,))
        >>> bound = Bound(1.5, 4.0, 0.05, 1, "binomial")
        >>> CanaryResult("one run", "mine", {}, claim, bound, counts, 1, 0, {}).violated
        True
    """

    kind: Kind
    trainer: str
    parameters: Mapping[str, Any]
    claim: Claim
    bound: Bound
    counts: GuessCounts
    trainings: int
    seed: int
    versions: Mapping[str, str]
    stands_for: str = ""
    mu: float | None = None

    def __post_init__(self) -> None:
        choice("kind of canary audit", self.kind, get_args(Kind))
        for name in ("trainer", "stands_for"):
            text(name, getattr(self, name))
        for name in ("parameters", "versions"):
            mapping(name, getattr(self, name))
        instance("claim", self.claim, Claim)
        instance("bound", self.bound, Bound)
        instance("counts", self.counts, GuessCounts)
        whole("trainings", self.trainings, 1)
        whole("seed", self.seed, 0)
        if self.mu is not None:
            real("mu", self.mu, 0, inf, closed_low=True)

    @property
    def epsilon_lower(self) -> float:
        """The lower bound on the true ε."""
        return self.bound.epsilon

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted.

        A white-box bound assumes Gaussian noise in every step, and records that join at the stated rate. The claim
        was computed under the same assumptions.
        """
        return self.verdict == "violated"

    @property
    def verdict(self) -> Verdict:
        """The verdict: violated, inconclusive, or not refuted."""
        return judge(self.claim, replace(self.bound, assuming=""))

    @property
    def detectable(self) -> float | None:
        """The smallest true ε that the audit would have refuted with probability 90 %, if the canaries show it.

        None where steps were observed: their bound passes through an accountant.
        """
        return None if self.mu is not None else detectable_epsilon(self.claim, self.bound, self.counts)

    def __str__(self) -> str:
        return render(self)

    def summary(self) -> dict[str, Any]:
        """The result as one flat object: what `mlaudit one-run --json` and `mlaudit white-box --json` print."""
        return summarise(self)

    def to_json(self, more: Mapping[str, Any] | None = None) -> str:
        """The result as JSON text: the summary, and under "replay" every value, exactly.

        Args:
            more: Further entries, such as the command that repeats the audit.

        Returns:
            The content of a result file.

        Raises:
            InvalidInput: If `more` has an entry of the result's own, or cannot be written as JSON.
        """
        return write_result(self, self.summary(), more)

    @classmethod
    def from_json(cls, text: str, *, source: str = "the result", trusted: tuple[type, ...] = ()) -> "CanaryResult":
        """The result behind JSON text; nothing in the text is executed.

        Args:
            text: What `to_json` returned.
            source: The file's name, for error messages.
            trusted: Your own frozen dataclasses that the result may hold.

        Returns:
            The result.

        Raises:
            InvalidInput: If the text is no whole result of an audit by canaries.
        """
        return read_result(cls, text, source, trusted)
