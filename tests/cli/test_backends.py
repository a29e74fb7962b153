"""`--backend` names a file of drawing/engines, or the user's own engine; both get the options that they have."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from mlaudit.cli import main
from mlaudit.naming.plugins import load, shipped

LAPLACE = "run laplace --rows 1 --trainings 100 --json"
# A learner that is trained one by one: engines get all of its trainings.
COUNT = "run mine.py:noisy_count --pair mine.py:pair --epsilon 1 --trainings 100 --json"
MINE = """
from dataclasses import dataclass

from mlaudit import Dataset, Pair

pair = Pair(Dataset([0, 1, 0]), Dataset([1, 1, 0]))


def noisy_count(data, rng):
    return data.X.sum() + rng.laplace()


@dataclass(frozen=True)
class Counting:
    jobs: int = 1

    def map_unordered(self, task, items):
        with open("seen.txt", "a") as seen:
            print(self.jobs, file=seen)
        return map(task, items)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.mark.parametrize("name", shipped("engines"))
def test_every_file_of_the_folder_is_an_engine(name: str) -> None:
    assert callable(load("engines", name)().map_unordered)


def test_the_names_that_were_there_first() -> None:
    assert {"loky", "dask", "ray"} <= set(shipped("engines"))


@pytest.mark.slow
def test_an_engine_of_the_users_own_is_one_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found: list[float] = []
    for backend in ("loky", "in_process", "mine.py:Counting --jobs 3"):
        assert main(shlex.split(f"{COUNT} --backend {backend} --out {len(found)}")) == 0
        found.append(json.loads(capsys.readouterr().out)["epsilon_lower"])
    assert found[0] == found[1] == found[2]
    assert set((here / "seen.txt").read_text(encoding="utf-8").split()) == {"3"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--backend in_process --jobs 2", "in_process starts no workers, got --jobs 2; leave --jobs out"),
        ("--address 127.0.0.1:1", "--address is for an engine with a cluster, got '127.0.0.1:1' with --backend loky"),
        ("--backend lokky", "no engine is called 'lokky'; did you mean 'loky'?"),
        ("--backend mine.py:Counted", "no object of mine.py is called 'Counted'; did you mean 'Counting'?"),
    ],
)
def test_options_that_an_engine_does_not_have(
    options: str, sentence: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(f"{LAPLACE} {options}")) == 2
    assert sentence in capsys.readouterr().err
