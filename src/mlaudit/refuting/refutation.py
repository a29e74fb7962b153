"""One finding: a leak that refutes the claim, with its witness and its cause."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from linecache import getline

from mlaudit.results.audit_result import AuditResult
from mlaudit.tracing.faults import KINDS, Fault, FaultKind
from mlaudit.tracing.sites import Site
from mlaudit.types.checks import choice, instance, several, text
from mlaudit.types.finding import Bound
from mlaudit.types.pair import Pair

_MOST_LINES = 3


@dataclass(frozen=True)
class FaultLine:
    """A line of code that a trace of the finding's pair points at.

    Args:
        kind: What is wrong there, as in "loss" or "bypass".
        site: The line.
        sentence: What was seen there.
    """

    kind: FaultKind
    site: Site
    sentence: str

    def __post_init__(self) -> None:
        choice("kind of a fault", self.kind, KINDS)
        instance("site", self.site, Site)
        text("sentence", self.sentence)

    def __str__(self) -> str:
        return f"{self.site} ({self.kind}): {self.sentence}"


def list_lines(faults: Iterable[Fault]) -> tuple[FaultLine, ...]:
    """The lines of suspects, each once, the gravest first and not more than a reader takes in."""
    found: dict[tuple[str, int], FaultLine] = {}
    for one in faults:
        if one.site.line:
            found.setdefault((one.site.file, one.site.line), FaultLine(one.kind, _quote(one.site), one.sentence))
    return tuple(found.values())[:_MOST_LINES]


def _quote(site: Site) -> Site:
    """The line with its text: a child process cannot read the cells of a notebook."""
    return site if site.source else replace(site, source=getline(site.file, site.line).strip())


@dataclass(frozen=True)
class Refutation:
    """A leak that refutes the claim, repeated on fresh trainings.

    Args:
        detector: The detector that found it.
        place: The part of the output that reveals it, as in "class_count_" or "output[1]".
        cause: What differs between D and D′, in a sentence.
        witness: The audit: D, D′, the bound, its repetition, and the rule that `mlaudit replay` counts again. A leak
            of a scan is an audit as well.
        left_out: The parts of the output that earlier findings are about, and that were left out here.
        lines: The lines that a trace of the pair points at, the gravest first; none if nothing could be followed.
    """

    detector: str
    place: str
    cause: str
    witness: AuditResult
    left_out: tuple[str, ...] = ()
    lines: tuple[FaultLine, ...] = ()

    def __post_init__(self) -> None:
        for name in ("detector", "place", "cause"):
            text(name, getattr(self, name))
        instance("witness", self.witness, AuditResult)
        parts = several("left_out", self.left_out, "texts")
        object.__setattr__(self, "left_out", tuple(text("a part", part) for part in parts))
        lines = several("lines", self.lines, "lines")
        object.__setattr__(self, "lines", tuple(instance("a line", line, FaultLine) for line in lines))

    @property
    def pair(self) -> Pair:
        """D and D′."""
        return self.witness.pair

    @property
    def change(self) -> str:
        """How D′ was made of D."""
        return self.witness.attack

    @property
    def bound(self) -> Bound:
        """The first bound, under the claimed relation."""
        return self.witness.finding.bound

    @property
    def epsilon(self) -> float:
        """The lower bound on the claimed ε."""
        return self.bound.epsilon

    @property
    def repeated_epsilon(self) -> float | None:
        """The same on fresh trainings."""
        return None if self.witness.confirmation is None else self.witness.confirmation.bound.epsilon
