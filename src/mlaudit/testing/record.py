"""The claims that a test audits, kept with the test's report. Every test run imports this file: it must be light."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

PROPERTY = "privacy"  # of a test's report; a JUnit file has it as well
Properties = list[tuple[str, object]]
_RUNNING: ContextVar[Properties | None] = ContextVar("the properties of the running test", default=None)


@contextmanager
def collect_claims(properties: Properties) -> Iterator[None]:
    """Append what `record_claim` is called with to a test's properties, while the test runs.

    >>> kept = []
    >>> with collect_claims(kept):
    ...     record_claim({"verdict": "not_refuted"})
    >>> read_claims(kept)
    [{'verdict': 'not_refuted'}]
    """
    before = _RUNNING.set(properties)
    try:
        yield
    finally:
        _RUNNING.reset(before)


def record_claim(told: Mapping[str, Any]) -> None:
    """Keep an audited claim, as plain data, with the running test; outside of pytest nothing is kept."""
    running = _RUNNING.get()
    if running is not None:
        running.append((PROPERTY, json.dumps(told, ensure_ascii=False)))


def read_claims(properties: Iterable[tuple[str, object]]) -> list[dict[str, Any]]:
    """The audited claims among the properties of a test's report."""
    return [json.loads(str(value)) for name, value in properties if name == PROPERTY]
