"""The outcome of one audit, with everything needed to repeat it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from mlaudit.errors import InvalidInput
from mlaudit.protocols import SamplerKind
from mlaudit.results.detectable import detectable_epsilon
from mlaudit.results.json import read_result, write_result
from mlaudit.results.summary import summarise
from mlaudit.results.text import render
from mlaudit.results.verdict import Verdict, is_former, judge
from mlaudit.types.card import DataCard
from mlaudit.types.checks import instance, mapping, quote, several, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Provenance:
    """Where the numbers come from: what was run, on what, how often, with which versions.

    `seed` is the trainings' own; `learned_on` the one the witness was learned with, and never to be counted with.
    `stands_for` is the library and version whose trainings these are, or are drawn like. `repeatable` is False for a
    learner that takes randomness from elsewhere than its seed.
    """

    mechanism: str
    parameters: Mapping[str, Any]
    sampler: SamplerKind
    dataset: str
    procedure: Mapping[str, Any]
    trainings: int
    seed: int
    learned_on: int
    versions: Mapping[str, str]
    notes: tuple[str, ...] = field(default=())
    stands_for: str = ""
    repeatable: bool = True
    card: DataCard | None = None  # what was done to the table; None for data that came as numbers, and in older files

    def __post_init__(self) -> None:
        for name in ("mechanism", "sampler", "dataset", "stands_for"):
            text(name, getattr(self, name))
        for name in ("parameters", "procedure", "versions"):
            mapping(name, getattr(self, name))
        if self.card is not None:
            instance("card", self.card, DataCard)
        whole("trainings", self.trainings, 1)
        whole("seed", self.seed, 0)
        whole("learned_on", self.learned_on, 0)
        if self.sampler not in get_args(SamplerKind):
            raise InvalidInput(f"sampler must be one of {', '.join(get_args(SamplerKind))}, got {self.sampler!r}")
        notes = several("notes", self.notes, "sentences")
        object.__setattr__(self, "notes", tuple(text("a note", note) for note in notes))


@dataclass(frozen=True)
class Confirmation:
    """The bound of the same witness on fresh trainings: a violation is repeated before it is announced.

    A violation that a batched sampler found is repeated with the library's own fit.
    """

    bound: Bound
    trainings: int
    seed: int

    def __post_init__(self) -> None:
        instance("bound", self.bound, Bound)
        whole("trainings", self.trainings, 1)
        whole("seed", self.seed, 0)


@dataclass(frozen=True)
class AuditResult:
    """The result of an audit: the claim, the bound, the evidence behind it, and the verdict.

    `print(result)` prints the text of the command line; `result.violated` says whether the claim is refuted.

    Args:
        claim: The claim that was audited.
        pair: D and D′.
        attack: The attack that made D′ of D.
        finding: The bound, the counts behind it, and the rule that tells trainings on D from those on D′.
        verdict: "violated"; "not_repeated": the bound refutes the claim, and fresh trainings do not; "inconclusive":
            no outcome could have refuted the claim; or "not_refuted".
        provenance: Everything needed to repeat the audit: parameters, seed, versions, notes.
        confirmation: The bound on fresh trainings, if the first bound refutes the claim; else None.

    Raises:
        InvalidInput: If a value is of the wrong kind, or the verdict does not follow from the bound.

    Example:
        >>> from mlaudit import AuditResult, Claim, audit
        >>> result = audit("laplace", claim=Claim(4.0), rows=1, trainings=1000)
        >>> result.violated, result.verdict
        (False, 'not_refuted')
        >>> print(str(result).splitlines()[0])
        NOT REFUTED   laplace, claim ε = 4 (replace-one)
        >>> AuditResult.from_json(result.to_json()).epsilon_lower == result.epsilon_lower
        True
    """

    claim: Claim
    pair: Pair
    attack: str
    finding: Finding
    verdict: Verdict
    provenance: Provenance
    confirmation: Confirmation | None = None

    def __post_init__(self) -> None:
        instance("claim", self.claim, Claim)
        instance("pair", self.pair, Pair)
        text("attack", self.attack)
        instance("finding", self.finding, Finding)
        instance("provenance", self.provenance, Provenance)
        if self.confirmation is not None:
            instance("confirmation", self.confirmation, Confirmation)
        repeated = None if self.confirmation is None else self.confirmation.bound
        judged = judge(self.claim, self.finding.bound, repeated)
        if text("verdict", self.verdict) != judged and not is_former(self.verdict, judged):
            raise InvalidInput(f"the verdict must follow from the bound, got {quote(self.verdict)}")
        object.__setattr__(self, "verdict", judged)

    @property
    def epsilon_lower(self) -> float:
        """The lower bound on the true ε."""
        return self.finding.bound.epsilon

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.verdict == "violated"

    @property
    def detectable(self) -> float:
        """The smallest true ε that the audit would have refuted with probability 90 %, if the pair shows it."""
        return detectable_epsilon(self.claim, self.finding.bound, self.finding.evidence)

    def __str__(self) -> str:
        return render(self)

    def summary(self) -> dict[str, Any]:
        """The result as one flat object: what `mlaudit run --json` prints."""
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
    def from_json(cls, text: str, *, source: str = "the result", trusted: tuple[type, ...] = ()) -> "AuditResult":
        """The result behind JSON text; nothing in the text is executed.

        Args:
            text: The content of a result file, also of one that mlaudit 0.1.0 wrote.
            source: The file's name, for error messages.
            trusted: Your own frozen dataclasses that the result may hold, such as a distinguisher's.

        Returns:
            The result.

        Raises:
            InvalidInput: If the text is no whole result of an audit.
        """
        return read_result(cls, text, source, trusted)
