"""Names become objects: those of the package, of other packages, and of the user's own files."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mlaudit.auditing.learner import instantiate
from mlaudit.cli import main
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.naming.plugins import KINDS, load, load_file, names, shipped
from mlaudit.protocols import Mechanism

SHIPPED = [(kind, name) for kind in KINDS for name in shipped(kind)]
PARTS = [
    (kind, name)
    for kind, name in SHIPPED
    if kind not in ("engines", "stores", "kinds", "figures", "exhibits", "catalogues")
]
METHODS = {
    "attacks": ("__call__",),
    "procedures": ("__call__", "confirm"),
    "intervals": ("log_ratio",),
    "classifiers": ("fit",),
}


@pytest.fixture(autouse=True)
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.mark.parametrize(("kind", "name"), SHIPPED)
def test_every_name_is_described_in_a_line(kind: str, name: str) -> None:
    described = names(kind)[name]
    assert 10 < len(described) <= 118
    assert described.endswith((".", ")", "?")) or ":" in described, "a description is a sentence"


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_every_name_loads_and_can_be_built(kind: str, name: str) -> None:
    found = load(kind, name)
    if kind == "datasets":
        assert callable(found)  # what it returns is tested with the datasets
        return
    built = instantiate(found, {}, name)
    assert type(built).__module__ == f"mlaudit.{kind}.{name}"
    if kind == "mechanisms":
        assert isinstance(built, Mechanism)
    assert all(callable(getattr(built, method)) for method in METHODS.get(kind, ()))


def test_helpers_are_not_listed() -> None:
    assert not [name for kind in KINDS for name in names(kind) if name.startswith("_")]
    with pytest.raises(UnknownName, match="'_rows'"):
        load("attacks", "_rows")


@pytest.mark.slow
def test_listing_imports_nothing() -> None:
    code = (
        "import sys\nfrom mlaudit.naming.plugins import KINDS, names\n"
        "found = [names(kind) for kind in KINDS]\n"
        "assert not {'numpy', 'sklearn', 'scipy', 'joblib'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


ATTACK = '''
from mlaudit import Pair


def first_row(mechanism, data, rows, rng):
    """Moves the first rows to the other end of the unit interval."""
    X = data.X.copy()
    X[:rows] = 1.0 - X[:rows]
    return Pair(data, data.with_rows(X, data.y), target=X[0])
'''


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another package, installed."""
    info = tmp_path / "others_attacks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others-attacks\nVersion: 1.0\n", encoding="utf-8")
    entries = "[mlaudit.attacks]\nfirst_row = others_attacks:first_row\nswap_x = others_attacks:first_row\n"
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")
    (tmp_path / "others_attacks.py").write_text(ATTACK, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "others_attacks", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_entry_points_of_other_packages(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert names("attacks")["first_row"] == "from others_attacks:first_row"
    assert "first_row" not in names("intervals")
    assert load("attacks", "first_row").__module__ == "others_attacks"
    (elsewhere / "unit.csv").write_text("a,y\n" + "".join(f"0.0{i},{i % 2}\n" for i in range(9)), encoding="utf-8")
    call = "run laplace --attack first_row --data unit.csv --rows 1 --trainings 200 --json"
    assert main(shlex.split(call)) == 0
    assert json.loads(capsys.readouterr().out)["attack"] == "first_row"


def test_nobody_takes_a_name_of_ours(elsewhere: Path) -> None:
    assert load("attacks", "swap_x").__module__ == "mlaudit.attacks.swap_x"
    assert "others_attacks" not in names("attacks")["swap_x"]


MINE = """
from dataclasses import dataclass

import helper_of_mine
import numpy as np

from mlaudit import Box, Claim, Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


@dataclass(frozen=True)
class Inner:
    scale: float = 1.0


@dataclass(frozen=True)
class Sum:
    epsilon: float = 1.0
    inner: Inner = Inner()

    @property
    def claim(self):
        return Claim(self.epsilon)

    def domain(self, data):
        return Box([0.0], [1.0])

    def fit(self, data, seed):
        return helper_of_mine.noisy(data, np.random.default_rng(seed), self.inner.scale / self.epsilon)

    def summary(self, model, target):
        return model


def function(data, rng):
    return helper_of_mine.noisy(data, rng, Inner().scale)
"""

HELPER = """
def noisy(data, rng, scale):
    return data.X.sum() + rng.laplace(scale=scale)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    (folder / "helper_of_mine.py").write_text(HELPER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "helper_of_mine", raising=False)
    return folder / "mine.py"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Sum", "function"])
def test_own_files_in_worker_processes(name: str, mine: Path, tmp_path: Path) -> None:
    """In a process of its own: its workers must find the file's neighbours without anybody's help."""
    call = shlex.split(f"run {mine}:{name} --epsilon 1 --pair {mine}:pair --trainings 400 --classifier logistic")
    command = [sys.executable, "-m", "mlaudit", *call, "--jobs", "2", "--out", "two"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert main([*call, "--out", "one"]) == 0
    assert (tmp_path / "one" / "result.json").read_bytes() == (tmp_path / "two" / "result.json").read_bytes()
    assert json.loads((tmp_path / "one" / "result.json").read_text(encoding="utf-8"))["notes"] == []


def test_a_file_is_loaded_once(mine: Path, tmp_path: Path) -> None:
    module = load_file(mine)
    assert load_file(mine) is module
    assert load_file(tmp_path / "mine" / ".." / "mine" / "mine.py") is module
    assert load("mechanisms", f"{mine}:Sum") is module.Sum
    other = tmp_path / "mine.py"
    other.write_text("five = 5\n", encoding="utf-8")
    assert load_file(other) is not module


def test_a_file_shadows_no_module(mine: Path) -> None:
    (mine.parent / "json.py").write_text("raise RuntimeError('shadowed')\n", encoding="utf-8")
    (mine.parent / "user.py").write_text("import json\nloaded = json.dumps([])\n", encoding="utf-8")
    assert load("pairs", f"{mine.parent / 'user.py'}:loaded") == "[]"


def test_a_file_that_failed_can_be_mended(tmp_path: Path) -> None:
    path = tmp_path / "draft.py"
    path.write_text("five = 1 / 0\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="ZeroDivisionError"):
        load_file(path)
    # Of another length: Python takes a file of the same second and the same size for unchanged.
    path.write_text("five = 1 + 4 + 0\n", encoding="utf-8")
    assert load_file(path).five == 5
