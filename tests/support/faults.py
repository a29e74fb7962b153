"""A broken part, the check that must fail on it, and a word of what is said about it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from mlaudit.testing.checks import Check


class Fault(NamedTuple):
    """A part that breaks one expectation of its kit."""

    part: Any
    claim: str
    detail: str

    def __repr__(self) -> str:
        return getattr(self.part, "__name__", type(self.part).__name__)


def assert_told(fault: Fault, checks: Sequence[Check]) -> None:
    """The check fails and says what was seen, then what to do."""
    (found,) = [check for check in checks if check.claim == fault.claim]
    assert not found.passed
    assert fault.detail in found.detail
    raised = found.detail.startswith("raised ")
    assert raised or "; " in found.detail, "a finding ends with its remedy"


def assert_healthy(checks: Sequence[Check]) -> None:
    """No check fails."""
    assert [str(check) for check in checks if not check.passed] == []
    assert checks


def assert_every_check_can_fail(faults: Sequence[Fault], checks: Sequence[Check]) -> None:
    """There is a broken part for every expectation of a kit."""
    assert {fault.claim for fault in faults} == {check.claim for check in checks}
