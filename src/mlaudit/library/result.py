"""The result of an audit of a library: one entry for each item."""

from dataclasses import dataclass
from typing import Any

from mlaudit.errors import InvalidInput
from mlaudit.refuting.result import ClaimTest
from mlaudit.results.lines import claim_text
from mlaudit.types.checks import instance, quote, real, several, text

_ORDER = ("violated", "not_repeated", "error", "inconclusive", "not_refuted")  # the gravest first


@dataclass(frozen=True)
class Entry:
    """What became of one item.

    Args:
        name: The item's name.
        result: The test of its claim; None if it could not be tested.
        error: Why it could not be tested, or "".
        cpu_seconds: What the test took, the trainings included.

    Raises:
        InvalidInput: If there is neither a result nor an error, or both.

    Example:
        >>> Entry("mean", None, "diffprivlib is not installed").verdict
        'error'
    """

    name: str
    result: ClaimTest | None
    error: str = ""
    cpu_seconds: float = 0.0

    def __post_init__(self) -> None:
        text("name", self.name)
        if self.result is not None:
            instance("result", self.result, ClaimTest)
        if bool(text("error", self.error)) == (self.result is not None):
            raise InvalidInput(f"an entry must have a result or an error, got {quote(self.error)} as error")

    @property
    def verdict(self) -> str:
        """The verdict of the test, or "error"."""
        return "error" if self.result is None else self.result.verdict

    def summary(self) -> dict[str, Any]:
        """The entry as plain data."""
        about = {"name": self.name, "verdict": self.verdict, "cpu_seconds": round(self.cpu_seconds, 3)}
        if self.result is None:
            return {**about, "error": self.error}
        found = self.result
        return {
            **about,
            "claim": claim_text(found.claim),
            "epsilon_lower": found.epsilon_lower,
            "detectable": found.detectable if found.detectable < float("inf") else None,
            "trainings": found.trainings,
            "findings": [{"place": one.place, "cause": one.cause, "epsilon": one.epsilon} for one in found.findings],
        }


@dataclass(frozen=True)
class LibraryResult:
    """The result of `audit_library`.

    Args:
        library: The catalogue.
        version: The library's version, or "".
        alpha: The probability at most with which any true claim of the whole catalogue is refuted.
        effort: What each test may spend.
        seed: The seed that those of the items are made from.
        entries: What became of each item, in the order of the catalogue.

    Raises:
        InvalidInput: If a value is of the wrong kind.

    Example:
        >>> LibraryResult("mine", "1.0", 0.05, "smoke", 0, (Entry("a", None, "no data"),)).verdicts
        {'error': 1}
    """

    library: str
    version: str
    alpha: float
    effort: str
    seed: int
    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        text("library", self.library)
        text("version", self.version)
        real("alpha", self.alpha, 0, 1)
        entries = several("entries", self.entries, "entries")
        object.__setattr__(self, "entries", tuple(instance("an entry", one, Entry) for one in entries))

    @property
    def verdicts(self) -> dict[str, int]:
        """How many items have each verdict, the gravest first."""
        found = [one.verdict for one in self.entries]
        return {verdict: found.count(verdict) for verdict in _ORDER if verdict in found}

    @property
    def violated(self) -> tuple[Entry, ...]:
        """The items whose claim is refuted, the worst first."""
        found = [(one.result.epsilon_lower, one) for one in self.entries if one.result and one.verdict == "violated"]
        return tuple(one for _, one in sorted(found, key=lambda pair: -pair[0]))

    @property
    def cpu_seconds(self) -> float:
        """The CPU seconds of all tests."""
        return sum(one.cpu_seconds for one in self.entries)

    def summary(self) -> dict[str, Any]:
        """The result as plain data: what `mlaudit library --json` prints."""
        return {
            "library": self.library,
            "version": self.version,
            "alpha": self.alpha,
            "effort": self.effort,
            "seed": self.seed,
            "verdicts": self.verdicts,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "items": [one.summary() for one in self.entries],
        }
