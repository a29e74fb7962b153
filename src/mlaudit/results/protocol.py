"""The protocol that every result follows: an audit's, a scan's, and that of an audit by canaries."""

from typing import Any, Protocol, Self, runtime_checkable

from mlaudit.results.verdict import Verdict
from mlaudit.types.claim import Claim


@runtime_checkable
class Result(Protocol):
    """The interface of all results of mlaudit.

    `str(result)` is the text that the command line prints. A result is a frozen value: it holds everything that its
    text and its JSON are made of.

    Example:
        >>> from mlaudit.types.claim import Claim
        >>> class NothingFound:
        ...     claim, epsilon_lower, violated, verdict = Claim(1.0), 0.0, False, "not_refuted"
        ...     def summary(self): return {"epsilon_lower": 0.0}
        ...     def to_json(self, more=None): return '{"epsilon_lower": 0.0}'
        ...     @classmethod
        ...     def from_json(cls, text): return cls()
        >>> isinstance(NothingFound(), Result)
        True
    """

    @property
    def claim(self) -> Claim:
        """The claim that was audited."""

    @property
    def epsilon_lower(self) -> float:
        """The lower bound on the true ε, under the claimed neighbour relation."""

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""

    @property
    def verdict(self) -> Verdict:
        """The verdict: violated, not_repeated, inconclusive or not_refuted."""

    def summary(self) -> dict[str, Any]:
        """The result as one flat object: what the command line prints with `--json`."""

    def to_json(self) -> str:
        """The result as JSON text: the summary, and under "replay" every value, exactly."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The result behind the `text` that `to_json` returned; nothing in the text is executed."""
