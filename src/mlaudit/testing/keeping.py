"""A folder for each claim that a test suite audits: its draws, and its result for `mlaudit report`."""

from collections.abc import Iterator
from contextlib import contextmanager

from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.naming.source import locate, place
from mlaudit.protocols import Mechanism
from mlaudit.refuting.locations import locate_lines
from mlaudit.refuting.result import ClaimTest
from mlaudit.testing.record import RunningTest

_DRAWS, _RESULT = "draws.sqlite", "result.json"


@contextmanager
def open_draws(test: RunningTest | None) -> Iterator[SqliteStore | None]:
    """The store of the running test's next claim; None where `--privacy-results` was not given."""
    folder = None if test is None else test.folder
    if folder is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    store = SqliteStore(folder / _DRAWS)
    try:
        yield store
    finally:
        store.close()


def keep_result(result: ClaimTest, mechanism: Mechanism, test: RunningTest | None) -> None:
    """Write the result of the running test's next claim, with where the mechanism and the test are defined."""
    folder = None if test is None else test.folder
    if test is None or folder is None:
        return
    located = (*locate_lines(result), locate(mechanism), place(test.file, test.line, "test", test.name))
    told = {"locations": [one.as_data() for one in located if one is not None]}
    (folder / _RESULT).write_text(result.to_json(told), encoding="utf-8")
