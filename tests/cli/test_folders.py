"""A folder holds one audit: who comes second is told, and who is refused leaves nothing behind."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlaudit.cli import main
from mlaudit.cli.claiming import IDENTITY, Claimant, claim
from mlaudit.cli.writing import write_whole
from mlaudit.errors import InvalidInput

MINE = """
import time
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def slow(data, rng):
    time.sleep(0.001)
    return data.X.sum() + rng.laplace()


def nothing(data, rng):
    return None


def raises(data, rng):
    raise OverflowError("too much")


calls = [0]


def counts(data, rng):
    calls[0] += 1
    return data.X.sum() + rng.laplace() + calls[0]


def attack(mechanism, data, rows, rng):
    raise KeyError("corner")
"""
SLOW = "run mine.py:slow --epsilon 1 --pair mine.py:pair --trainings 300 --classifier logistic --quiet --json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "fine.csv").write_text("a,y\n0.1,0\n0.2,1\n0.3,0\n0.4,1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def together(*calls: str) -> list[tuple[int, str, str]]:
    """Commands started at the same moment: what each ended with and printed."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": os.environ | {"OMP_NUM_THREADS": "1"}}
    commands = ([sys.executable, "-m", "mlaudit", *shlex.split(call)] for call in calls)
    running = [subprocess.Popen(command, text=True, **options) for command in commands]  # type: ignore[call-overload]
    printed = [one.communicate(timeout=600) for one in running]
    return [(one.returncode, out, err) for one, (out, err) in zip(running, printed, strict=True)]


@pytest.mark.slow
def test_of_two_audits_that_want_a_new_folder_one_is_refused(here: Path) -> None:
    ended = together(*(f"{SLOW} --out both --seed {seed}" for seed in (1, 2)))
    (good,) = [out for code, out, _ in ended if code == 0]
    (bad,) = [err for code, _, err in ended if code == 2]
    won = json.loads(good)["seed"]
    assert f"both holds another audit (slow, seed {won}); give another --out" in bad
    assert json.loads((here / "both" / "result.json").read_text(encoding="utf-8"))["seed"] == won


@pytest.mark.slow
def test_two_commands_of_the_same_audit_share_a_folder(here: Path) -> None:
    assert main([*shlex.split(SLOW), "--out", "alone"]) == 0
    ended = together(*[f"{SLOW} --out both"] * 2)
    assert [code for code, _, _ in ended] == [0, 0]
    assert (here / "both" / "result.json").read_bytes() == (here / "alone" / "result.json").read_bytes()


@pytest.mark.slow
def test_an_audit_that_was_interrupted_keeps_its_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*shlex.split(SLOW), "--out", "out"]) == 0
    (here / "out" / "result.json").unlink()
    assert main([*shlex.split(SLOW), "--out", "out", "--seed", "7"]) == 2
    assert "out holds another audit (slow, seed 0); give another --out" in capsys.readouterr().err
    assert main([*shlex.split(SLOW), "--out", "out"]) == 0


REFUSED = {
    "an attack that raises": "run laplace --data fine.csv --attack mine.py:attack --trainings 100",
    "a learner that returns nothing": "run mine.py:nothing --epsilon 1 --pair mine.py:pair --trainings 100",
    "a learner that always raises": "run mine.py:raises --epsilon 1 --pair mine.py:pair --trainings 300",
    "too many rows": "run laplace --data fine.csv --attack swap_x --rows 3 --trainings 100",
    "a search without a neighbour": "run laplace --data fine.csv --attack search --rows 9 --trainings 100",
    "an alpha": "run laplace --rows 1 --alpha 2 --trainings 100",
    "relations": "relations mine.py:raises --epsilon 1 --data fine.csv --attack far_corner --trainings 300",
    "relations of a learner that keeps state": "relations mine.py:counts --epsilon 1 --data fine.csv --trainings 100",
    "a sweep": "sweep broken.toml",
    "a sweep's engine": "sweep small.toml --jobs 0",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_command_leaves_nothing_behind(case: str, here: Path) -> None:
    (here / "broken.toml").write_text('[grid]\nmechanism = "laplce"\n', encoding="utf-8")
    (here / "small.toml").write_text('[grid]\nmechanism = "laplace"\nrows = 1\n', encoding="utf-8")
    there = sorted(here.rglob("*"))
    kept = [path for path in there if "__pycache__" not in str(path)]
    assert main([*shlex.split(REFUSED[case]), "--quiet", "--out", "a/b/out"]) == 2
    assert [path for path in sorted(here.rglob("*")) if "__pycache__" not in str(path)] == kept


@pytest.mark.slow
def test_a_refused_replay_leaves_nothing_behind(here: Path) -> None:
    assert main([*shlex.split(SLOW), "--out", "out"]) == 0
    before = sorted(path.name for path in (here / "out").iterdir())
    assert main(["replay", "out/result.json", "--mechanism", "mine.py:slow", "--seed", "0"]) == 2
    assert sorted(path.name for path in (here / "out").iterdir()) == before


@pytest.mark.parametrize("file", ["mine.txt", "draws.sqlite"])
def test_a_refused_command_leaves_what_was_there(file: str, here: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / file).write_text("mine", encoding="utf-8")
    assert main([*shlex.split(REFUSED["an attack that raises"]), "--out", "out"]) == 2
    assert [path.name for path in (here / "out").iterdir()] == [file]
    assert (here / "out" / file).read_text(encoding="utf-8") == "mine"


def test_a_folder_is_claimed_once(here: Path) -> None:
    first, other = Claimant("one", "laplace, seed 1"), Claimant("two", "laplace, seed 2")
    assert claim(here / "a" / "b", first) == (here / "a" / "b" / IDENTITY, here / "a" / "b", here / "a")
    assert claim(here / "a" / "b", first) == ()
    with pytest.raises(InvalidInput, match=r"b holds another audit \(laplace, seed 1\); give another --out"):
        claim(here / "a" / "b", other)
    assert [path.name for path in (here / "a" / "b").iterdir()] == [IDENTITY]


def damaged(path: Path) -> None:
    path.write_text("{", encoding="utf-8")


def a_list(path: Path) -> None:
    path.write_text("[]", encoding="utf-8")


@pytest.mark.parametrize(
    ("edit", "said"), [(damaged, "audit.json must name the audit of its folder"), (a_list, "holds another audit")]
)
@pytest.mark.slow
def test_an_identity_that_says_nothing_is_refused(edit: Callable[[Path], None], said: str, here: Path) -> None:
    edit(here / IDENTITY)
    with pytest.raises(InvalidInput, match=said):
        claim(here, Claimant("one", "laplace"))


def test_a_file_is_written_whole_or_not_at_all(here: Path) -> None:
    write_whole(here / "out.txt", "one")
    with pytest.raises(UnicodeEncodeError):
        write_whole(here / "out.txt", "\ud800")
    assert (here / "out.txt").read_text(encoding="utf-8") == "one"
    assert [path.name for path in here.glob("*out.txt*")] == ["out.txt"]
