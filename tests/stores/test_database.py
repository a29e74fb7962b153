"""A new store that two commands open at the same moment."""

import subprocess
import sys
from pathlib import Path

# Fresh interpreters: a fork of a test process that has threads may wait for a lock for ever.
PROGRAM = """
import sys
from mlaudit.stores.results import SqliteResults

sys.stdin.readline()
for attempt in range(10):
    SqliteResults(f"{attempt}.sqlite").close()
"""


def test_many_processes_make_the_same_store(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", PROGRAM]
    running = [subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stderr=pipe, text=True) for _ in range(6)]
    try:
        for process in running:  # all of them begin together
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        for process in running:
            _, said = process.communicate(timeout=1200)
            assert (process.returncode, said) == (0, "")
    finally:
        for process in running:
            process.kill()
            process.communicate()
    assert len(list(tmp_path.glob("*.sqlite"))) == 10
