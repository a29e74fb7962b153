"""The example of Tumult Core in an environment of its own; the library itself is not needed here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mlaudit import Relation
from mlaudit.adapters.helpers import find_helper
from mlaudit.adapters.program import Program
from mlaudit.naming.plugins import load

FOLDER = Path(__file__).parents[2] / "examples" / "other_languages" / "tumult"

# Stands in for the library: `tmlt.core` and a measurement that returns what it is given.
STAND_IN = """
import sys, types
for name in ("tmlt", "tmlt.core"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["tmlt"].core = sys.modules["tmlt.core"]
import runpy
made = runpy.run_path({file!r})
made["MEASUREMENTS"]["count"] = lambda: (lambda X: len(X), 1.0, 0.0)
made["serve_measurement"](*sys.argv[1:])
"""


def call(file: str, name: str) -> Any:
    return load("catalogues", f"{FOLDER / file}:{name}")


def test_the_catalogue_names_every_measurement() -> None:
    assert set(call("catalogue.py", "_NAMES")) == set(call("measurements.py", "MEASUREMENTS"))


@pytest.mark.slow
def test_a_measurement_states_its_own_claim(tmp_path: Path) -> None:
    file = tmp_path / "stand_in.py"
    file.write_text(STAND_IN.format(file=str(FOLDER / "measurements.py")))
    program = Program(f"{sys.executable} {file} {find_helper('python')} count")
    assert (program.claim.epsilon, program.claim.delta) == (1.0, 0.0)
    assert program.claim.relation is Relation.ADD_REMOVE


@pytest.mark.slow
def test_without_the_library_the_program_says_what_is_missing() -> None:
    command = [sys.executable, str(FOLDER / "measurements.py"), str(find_helper("python")), "laplace"]
    done = subprocess.run(command, input=json.dumps({"type": "hello"}), capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "No module named 'tmlt'" in done.stderr
