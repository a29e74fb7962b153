"""A kind of cell or an engine is one new file: no other file is edited."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mlaudit
from mlaudit.naming.plugins import load_shipped, names, shipped
from mlaudit.sweep.jobs import settings_of
from mlaudit.sweep.store import SqliteResults

COIN = '''"""How often a coin falls on its head."""

from dataclasses import dataclass

from mlaudit.auditing.options import option


@dataclass(frozen=True)
class CoinSpec:
    head: float = option(0.5, "probability of a head")
    seed: int = option(0, "of all draws")


@dataclass(frozen=True)
class Toss:
    spec: CoinSpec
    trainings, share, at_once, dataset = 0, "", True, None

    def with_dataset(self, data):
        return self

    def measure(self, engine, store, progress):
        return {"heads": self.spec.head * 100}


@dataclass(frozen=True)
class CoinKind:
    spec = CoinSpec

    def prepare(self, spec):
        return Toss(spec)
'''
BACKWARDS = '''"""This process, the last item first."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BackwardsEngine:
    def map_unordered(self, task, items):
        return map(task, reversed(items))
'''


@pytest.mark.parametrize("name", shipped("kinds"))
def test_every_kind_has_settings_and_is_made_without_arguments(name: str) -> None:
    kind = load_shipped("kinds", name)
    assert "label" in settings_of(kind.spec)
    assert "seed" not in settings_of(kind.spec)
    assert callable(kind().prepare)


def test_what_was_there_first() -> None:
    assert {"audit", "influence", "coverage"} <= set(names("kinds"))


# All in one process: that starting one costs seconds says nothing about new files.
CALLS = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from mlaudit.cli import main

told = []
for line in json.load(sys.stdin):
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main(line.split())
    told.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(told))
"""


@pytest.mark.slow
def test_a_new_file_is_a_new_kind_and_a_new_engine(tmp_path: Path) -> None:
    root = tmp_path / "src" / "mlaudit"
    shutil.copytree(Path(mlaudit.__file__).parent, root)
    (root / "sweep" / "kinds" / "coin.py").write_text(COIN, encoding="utf-8")
    (root / "drawing" / "engines" / "backwards.py").write_text(BACKWARDS, encoding="utf-8")
    (tmp_path / "tosses.toml").write_text('[grid]\nkind = "coin"\nhead = [0.25, 0.5]\n', encoding="utf-8")
    (tmp_path / "wrong.toml").write_text('[grid]\nkind = "coin"\nhaed = 1\n', encoding="utf-8")
    backends = ("loky", "backwards")
    lines = ["list kinds", "sweep tosses.toml --out out --json", "sweep wrong.toml --out other"]
    lines += [f"run laplace --trainings 100 --json --out {name} --backend {name}" for name in backends]
    done = subprocess.run(
        [sys.executable, "-c", CALLS],
        input=json.dumps(lines),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root.parent)},
        check=True,
        capture_output=True,
        text=True,
    )
    kinds, sweep, wrong, *audits = json.loads(done.stdout)
    assert "coin       How often a coin falls on its head." in kinds[1]
    assert json.loads(sweep[1])["cells"] == 2
    rows = SqliteResults(tmp_path / "out" / "results.sqlite").rows("tosses")
    assert [row.values["heads"] for row in rows] == [25.0, 50.0]
    assert "no setting of a cell of kind coin is called 'haed'; did you mean 'head'?" in wrong[2]
    assert [code for code, *_ in audits] == [0, 0]
    assert len({json.loads(out)["epsilon_lower"] for _, out, _ in audits}) == 1
