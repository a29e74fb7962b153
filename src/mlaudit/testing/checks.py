"""One expectation of a contract, and whether a part keeps it.

Every kit is a function `check_<kind>(part) -> list[Check]`. A check fails with one sentence: what must hold, what was
seen, and what to do about it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mlaudit.errors import AuditError


@dataclass(frozen=True)
class Check:
    """What must hold, whether it does, and if not, what was seen and the remedy."""

    claim: str
    passed: bool
    detail: str = ""

    def __str__(self) -> str:
        """One line for a person."""
        return f"{'ok  ' if self.passed else 'FAIL'}  {self.claim}{f': {self.detail}' if self.detail else ''}"


def check(claim: str, test: Callable[[], str]) -> Check:
    """Run a test that returns what is wrong, or "" for nothing; an exception is wrong, too.

    >>> print(check("two is even", lambda: ""))
    ok    two is even
    >>> print(check("it divides", lambda: str(1 / 0)))
    FAIL  it divides: raised ZeroDivisionError: division by zero
    """
    try:
        wrong = test()
    except AuditError as error:
        return Check(claim, passed=False, detail=str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a check reports whatever other people's code raises
        return Check(claim, passed=False, detail=f"raised {type(error).__name__}: {error}")
    return Check(claim, passed=not wrong, detail=wrong)
