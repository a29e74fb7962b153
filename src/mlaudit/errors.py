"""What can go wrong, each with the exit code the command line ends with."""

import copyreg
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_MOST_LISTED = 50


class AuditError(Exception):
    """Any error that mlaudit raises on purpose; its text is one sentence for the user.

    `exit_code` is the one that the command line ends with.

    Example:
        >>> from mlaudit import AuditError, Claim
        >>> try:
        ...     Claim(epsilon=-1.0)
        ... except AuditError as error:
        ...     print(error)
        epsilon must be a number in (0, inf), got -1.0
    """

    exit_code = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Workers send errors home by pickle, and some classes make their sentence out of other arguments."""
        return copyreg.__newobj__, (type(self), *self.args)  # type: ignore[attr-defined]


class InvalidInput(AuditError, ValueError):
    """An argument, a file or a value cannot be used. The message states what must hold and a remedy."""


class UnknownName(InvalidInput):
    """A name that resolves to nothing.

    >>> str(UnknownName("attack", "swapx", ["swap_x", "tight"]))
    "no attack is called 'swapx'; did you mean 'swap_x'?"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(str(name), names, n=1, cutoff=0.5)
        listed = ", ".join(names[:_MOST_LISTED]) + (
            f" and {len(names) - _MOST_LISTED} more" if names[_MOST_LISTED:] else ""
        )
        hint = f"did you mean {close[0]!r}?" if close else f"known: {listed or 'none'}"
        super().__init__(f"no {kind} is called {name!r}; {hint}")


class ReusedDraws(AuditError):
    """A training that was used to choose something was about to be counted in the bound."""


class LearnerFailed(AuditError):
    """The learner never produced an output, so there is nothing to audit."""


class ProgramFailed(LearnerFailed, InvalidInput):
    """A program that trains in place of a mechanism hangs, or does not keep to the protocol."""


class MissingExtra(AuditError, ImportError):
    """An optional dependency is not installed.

    >>> str(MissingExtra("matplotlib", "report"))
    "this needs matplotlib; install it with: pip install 'mlaudit[report]'"
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs {package}; install it with: pip install 'mlaudit[{extra}]'")


class ClashingVersions(MissingExtra):
    """An optional dependency is installed beside a version of another package that it cannot work with.

    >>> str(ClashingVersions("diffprivlib 0.6.6", "scikit-learn below 1.8", "1.9.1", "diffprivlib"))
    "diffprivlib 0.6.6 needs scikit-learn below 1.8, got 1.9.1; install both with: pip install 'mlaudit[diffprivlib]'"
    """

    def __init__(self, package: str, needs: str, got: str, extra: str) -> None:
        sentence = f"{package} needs {needs}, got {got}; install both with: pip install 'mlaudit[{extra}]'"
        AuditError.__init__(self, sentence)


class StoreError(AuditError):
    """The store cannot be used as it is: another format, no permission, not a store."""


class LibraryDiffers(AuditError):
    """A sampler gives other outputs than the library, so its numbers say nothing about the library."""

    exit_code = 5


class Incomplete(AuditError):
    """The audit stopped before its end; finished trainings are kept, and the same command continues."""

    exit_code = 4
