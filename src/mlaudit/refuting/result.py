"""The result of a test of a claim: every detector that was run, and everything that it found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from mlaudit.errors import InvalidInput
from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.text import render, summarise
from mlaudit.results.json import read_object, read_result, write_result
from mlaudit.results.verdict import VERDICTS, Verdict
from mlaudit.tracing.result import TraceResult
from mlaudit.types.card import DataCard
from mlaudit.types.checks import choice, instance, mapping, quote, real, several, text, whole
from mlaudit.types.claim import Claim


def is_claim_test(content: str, source: str) -> bool:
    """Whether the text of a result file is that of a test of a claim.

    >>> is_claim_test('{"detectors": []}', "result.json"), is_claim_test("{}", "result.json")
    (True, False)
    """
    return "detectors" in read_object(content, source)


@dataclass(frozen=True)
class Attempt:
    """A detector that was run.

    Args:
        detector: Its name.
        alpha: Its share of α: the probability at most with which it refutes a true claim.
        trainings: Trainings that it asked for, pilots and repetitions included; one that serves twice counts twice.
        verdict: Its verdict.
        epsilon_lower: Its highest lower bound, under the claimed relation.
        ceiling: The highest ε that it could have shown.
        detectable: The smallest ε that it would have refuted with probability 90 %, if its pair shows it whole.
        looked_at: The attack and the data, or the size of the scan.
    """

    detector: str
    alpha: float
    trainings: int
    verdict: Verdict
    epsilon_lower: float
    ceiling: float
    detectable: float
    looked_at: str

    def __post_init__(self) -> None:
        text("detector", self.detector)
        text("looked_at", self.looked_at)
        real("alpha", self.alpha, 0, 1)
        whole("trainings", self.trainings, 0)
        choice("verdict", self.verdict, VERDICTS)
        for name in ("epsilon_lower", "ceiling", "detectable"):
            if not instance(name, getattr(self, name), (float, int)) >= 0:
                raise InvalidInput(f"{name} must be at least 0, got {quote(getattr(self, name))}")

    def could_refute(self, claim: Claim) -> bool:
        """Whether some outcome of the detector would have refuted the claim."""
        return self.ceiling > claim.epsilon


@dataclass(frozen=True)
class Skipped:
    """A detector that was not run, or not to its end, and why."""

    detector: str
    why: str

    def __post_init__(self) -> None:
        text("detector", self.detector)
        text("why", self.why)


@dataclass(frozen=True)
class ClaimTest:
    """The result of `refute`: whether any detector refutes the claim, and every finding.

    Args:
        mechanism: The learner's name.
        stands_for: The library and version that it comes from, or "".
        dataset: The name of the user's data, or "" if there are none.
        claim: The claim.
        alpha: One-sided error of the whole test: the shares of its detectors add up to it.
        effort: What it may spend.
        seed: Seed of the trainings.
        attempts: Every detector that was run, in order. One that ran several times has several entries.
        findings: Every leak that refutes the claim, the worst first.
        skipped: The detectors that were not run.
        versions: Versions of the packages.
        notes: Sentences on what limits the result.
        card: What was done to the table that the data come from; None if they came as numbers.
        trace: What following the noise showed: suspects with their tests, and an upper limit for the worst pair; None
            if nothing was followed.

    Raises:
        InvalidInput: If a value is of the wrong kind.

    Example:
        >>> from mlaudit import Claim, ClaimTest, refute
        >>> result = refute("laplace", claim=Claim(1.0), effort="smoke", alpha=1e-6)
        >>> result.verdict, len(result.findings)
        ('not_refuted', 0)
        >>> ClaimTest.from_json(result.to_json()).epsilon_lower == result.epsilon_lower
        True
    """

    # The example fails for a correct program with probability < 1e-6: its alpha.

    mechanism: str
    stands_for: str
    dataset: str
    claim: Claim
    alpha: float
    effort: str
    seed: int
    attempts: tuple[Attempt, ...]
    findings: tuple[Refutation, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    card: DataCard | None = None
    trace: TraceResult | None = None

    def __post_init__(self) -> None:
        if self.trace is not None:
            instance("trace", self.trace, TraceResult)
        for name in ("mechanism", "stands_for", "dataset", "effort"):
            text(name, getattr(self, name))
        if self.card is not None:
            instance("card", self.card, DataCard)
        instance("claim", self.claim, Claim)
        real("alpha", self.alpha, 0, 1)
        whole("seed", self.seed, 0)
        mapping("versions", self.versions)
        for name, kind in (("attempts", Attempt), ("findings", Refutation), ("skipped", Skipped), ("notes", str)):
            entries = several(name, getattr(self, name), name)
            object.__setattr__(self, name, tuple(instance(f"an entry of {name}", one, kind) for one in entries))
        for found in self.findings:
            epsilons = found.epsilon, found.repeated_epsilon
            if not all(one is None or one > self.claim.epsilon for one in epsilons):
                raise InvalidInput(f"a finding must refute the claim, got a bound of {quote(epsilons[0])}")
        ordered = sorted(self.findings, key=lambda found: -found.epsilon)
        object.__setattr__(self, "findings", tuple(ordered))

    @property
    def epsilon_lower(self) -> float:
        """The highest lower bound of all detectors, under the claimed relation; 0 if none was run."""
        return max((one.epsilon_lower for one in self.attempts), default=0.0)

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.verdict == "violated"

    @property
    def verdict(self) -> Verdict:
        """The verdict: inconclusive if no detector could have refuted the claim."""
        if self.findings:
            return "violated"
        found = {one.verdict for one in self.attempts}
        if "not_repeated" in found:
            return "not_repeated"
        # A scan is inconclusive where a suspect never fails in too few trainings, whatever the others say.
        able = [one for one in self.attempts if one.could_refute(self.claim)]
        return "not_refuted" if able and all(one.verdict == "not_refuted" for one in able) else "inconclusive"

    @property
    def detectable(self) -> float:
        """The smallest true ε that some detector would have refuted with probability 90 %, if its pair shows it."""
        return min((one.detectable for one in self.attempts if one.could_refute(self.claim)), default=inf)

    @property
    def ceiling(self) -> float:
        """The highest ε that some detector could have shown; 0 if none was run."""
        return max((one.ceiling for one in self.attempts), default=0.0)

    @property
    def trainings(self) -> int:
        """Trainings of all detectors together."""
        return sum(one.trainings for one in self.attempts)

    def __str__(self) -> str:
        return render(self)

    def summary(self) -> dict[str, Any]:
        """The result as one object with a row for every detector and finding: what `mlaudit test --json` prints."""
        return summarise(self)

    def to_json(self, more: Mapping[str, Any] | None = None) -> str:
        """The result as JSON text: the summary, and under "replay" every value, exactly.

        Args:
            more: Further entries, such as the command that repeats the test.

        Returns:
            The content of a result file.

        Raises:
            InvalidInput: If `more` has an entry of the result's own, or cannot be written as JSON.
        """
        return write_result(self, self.summary(), more)

    @classmethod
    def from_json(cls, text: str, *, source: str = "the result", trusted: tuple[type, ...] = ()) -> "ClaimTest":
        """The result behind JSON text; nothing in the text is executed.

        Args:
            text: What `to_json` returned.
            source: The file's name, for error messages.
            trusted: Your own frozen dataclasses that the result may hold, such as a domain.

        Returns:
            The result.

        Raises:
            InvalidInput: If the text is no whole result of a test.
        """
        return read_result(cls, text, source, trusted)
