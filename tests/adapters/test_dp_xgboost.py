"""The example of boosted trees in an environment of their own; the library itself is not needed here."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mlaudit import Relation
from mlaudit.naming.plugins import load

FOLDER = Path(__file__).parents[2] / "examples" / "other_languages" / "dp_xgboost"
LEAF = {"nodeid": 0, "leaf": 0.25}
SPLIT = {"nodeid": 0, "split": "f1", "split_condition": 0.5, "children": [{"leaf": 1.0}, {"leaf": 2.0}]}
NONE = -2.0


def call(file: str, name: str) -> Any:
    return load("catalogues", f"{FOLDER / file}:{name}")


def test_a_row_joins_the_others() -> None:
    pairs = [call("catalogue.py", "make_pair")(39), call("catalogue.py", "make_alike")(20)]
    assert [(len(pair.base), len(pair.neighbour)) for pair in pairs] == [(39, 40), (20, 21)]
    for pair in pairs:
        assert pair.relation is Relation.ADD_REMOVE
        assert (abs(pair.neighbour.y) <= 1).all()
        assert ((pair.neighbour.X >= 0) & (pair.neighbour.X <= 1)).all()


@pytest.mark.parametrize(
    ("tree", "numbers"),
    [
        (SPLIT, [1.0, 0.5, NONE, NONE, NONE, 1.0, NONE, NONE, 2.0]),
        (LEAF, [NONE, NONE, 0.25, NONE, NONE, NONE, NONE, NONE, NONE]),
    ],
    ids=["split", "leaf"],
)
def test_every_tree_has_as_many_numbers(tree: Any, numbers: list[float]) -> None:
    assert call("models.py", "_numbers")(tree, 1) == numbers
    assert len(call("models.py", "_numbers")(tree, 3)) == 3 * (2**4 - 1)


@pytest.mark.skipif(shutil.which("cc") is None or sys.platform != "linux", reason="needs a C compiler on Linux")
def test_a_program_can_set_its_clock(tmp_path: Path) -> None:
    clock = tmp_path / "clock.so"
    built = ["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(clock), str(FOLDER / "clock.c")]
    subprocess.run(built, check=True)
    program = "import ctypes; c = ctypes.CDLL(None); c.set_clock(ctypes.c_long(7)); print(c.time(None))"
    found = subprocess.run(
        [sys.executable, "-c", program], env={"LD_PRELOAD": str(clock)}, capture_output=True, text=True, check=True
    )
    assert found.stdout == "7\n"
