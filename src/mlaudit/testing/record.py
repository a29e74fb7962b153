"""The claims that a test audits, kept with the test's report. Every test run imports this file: it must be light."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

PROPERTY = "privacy"  # of a test's report; a JUnit file has it as well
Properties = list[tuple[str, object]]
_LONGEST = 80  # characters of a test's name in the name of its folder


@dataclass(frozen=True)
class RunningTest:
    """A test that is running.

    Args:
        properties: Where its audited claims are noted; pytest writes them into JUnit files.
        name: Its name in pytest.
        file: The file that defines it.
        line: The line there, counted from 1.
        results: The folder that keeps the draws and results of all tests, or None.
    """

    properties: Properties
    name: str = ""
    file: str = ""
    line: int = 1
    results: Path | None = None

    @property
    def folder(self) -> Path | None:
        """The folder for the next claim of this test; None if nothing is kept."""
        if self.results is None:
            return None
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.name).strip("-.")[:_LONGEST]
        number = len(read_claims(self.properties)) + 1
        # Names that differ only in signs must not share a folder.
        return self.results / f"{plain}-{sha256(self.name.encode()).hexdigest()[:8]}-{number}"


_RUNNING: ContextVar[RunningTest | None] = ContextVar("the running test", default=None)


@contextmanager
def collect_claims(test: RunningTest) -> Iterator[None]:
    """Append what `record_claim` is called with to a test's properties, while the test runs.

    >>> kept = []
    >>> with collect_claims(RunningTest(kept)):
    ...     record_claim({"verdict": "not_refuted"})
    >>> read_claims(kept)
    [{'verdict': 'not_refuted'}]
    """
    before = _RUNNING.set(test)
    try:
        yield
    finally:
        _RUNNING.reset(before)


def running_test() -> RunningTest | None:
    """The test that is running; None outside of pytest."""
    return _RUNNING.get()


def record_claim(told: Mapping[str, Any], properties: Mapping[str, str] | None = None) -> None:
    """Keep an audited claim with the running test; outside of pytest nothing is kept.

    Args:
        told: The claim and its result, as plain data.
        properties: The same for readers of JUnit files. A test's second claim has names that end in "_2".

    >>> kept = []
    >>> with collect_claims(RunningTest(kept)):
    ...     record_claim({}, {"verdict": "violated"})
    ...     record_claim({}, {"verdict": "not_refuted"})
    >>> [(name, value) for name, value in kept if name != PROPERTY]
    [('privacy_verdict', 'violated'), ('privacy_verdict_2', 'not_refuted')]
    """
    running = _RUNNING.get()
    if running is None:
        return
    kept = running.properties
    kept.append((PROPERTY, json.dumps(told, ensure_ascii=False)))
    number = len(read_claims(kept))
    ending = "" if number == 1 else f"_{number}"
    kept.extend((f"{PROPERTY}_{name}{ending}", value) for name, value in (properties or {}).items())


def read_claims(properties: Iterable[tuple[str, object]]) -> list[dict[str, Any]]:
    """The audited claims among the properties of a test's report."""
    return [json.loads(str(value)) for name, value in properties if name == PROPERTY]
