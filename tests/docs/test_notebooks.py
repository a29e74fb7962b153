"""The notebooks of the manual run, print what is committed, and are small."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.extra("docs")
@pytest.mark.extra("report")
@pytest.mark.extra("diffprivlib")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_committed(path: Path) -> None:
    """Same seed, same numbers: what is printed is compared to two digits."""
    command = [sys.executable, "tools/run_notebooks.py", "--check", path.stem]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_is_a_notebook_for_each_kind_of_user() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["engineer", "maintainer", "researcher"]
    assert all('"outputs": [\n' in path.read_text(encoding="utf-8") for path in NOTEBOOKS)
