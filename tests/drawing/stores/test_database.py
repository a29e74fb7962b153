"""A new store that two commands open at the same moment."""

from pathlib import Path

import pytest
from together import run_together

PROGRAM = """
import sys
from mlaudit.sweep.store import SqliteResults

sys.stdin.readline()
for attempt in range(10):
    SqliteResults(f"{attempt}.sqlite").close()
"""


@pytest.mark.slow
def test_many_processes_make_the_same_store(tmp_path: Path) -> None:
    run_together(PROGRAM, tmp_path)
    assert len(list(tmp_path.glob("*.sqlite"))) == 10
