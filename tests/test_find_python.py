"""Which Python `make` takes: python3, unless another one is much faster."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "find_python.sh"


def choose(tmp_path: Path, took: dict[str, str]) -> str:
    """What the script chooses among interpreters that say how long they took."""
    for name, says in took.items():
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
        path.chmod(0o755)
    # An interpreter of the system says thousands of microseconds, and is never chosen.
    found = subprocess.run(
        ["/bin/sh", str(SCRIPT)], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


@pytest.mark.parametrize(
    ("took", "chosen"),
    [
        ({"python3": "echo 100"}, "python3"),
        ({"python3": "echo 100", "python3.12": "echo 90"}, "python3"),
        ({"python3": "echo 100", "python3.11": "echo 70", "python3.12": "echo 50"}, "python3.12"),
        ({"python3": "echo 100", "python3.13": "exit 1"}, "python3"),
    ],
)
def test_the_fastest_if_it_is_much_faster(tmp_path: Path, took: dict[str, str], chosen: str) -> None:
    assert choose(tmp_path, took) == chosen
