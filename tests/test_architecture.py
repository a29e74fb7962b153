"""The reader's view of the package is that of its source."""

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from draw_rooms import DRAWING, ROOT, draw, main
from rooms import read_edges, read_modules
from trace_hops import trace

import mlaudit

SOURCE = Path(mlaudit.__file__).parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_HOPS = 25
MOST_FUNCTIONS = 465  # of the shortest audit (451 at most were seen; which depends on when weak references end)


def test_every_file_and_name_of_the_walk_exists() -> None:
    named = re.findall(r"`([\w/]+\.py): (\w+)`", PAGE)
    assert named
    for file, name in named:
        tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        assert name in defined, f"{file} has no {name}"


def test_the_walk_has_few_hops() -> None:
    assert 0 < len(re.findall(r"^\d+\. ", PAGE, re.MULTILINE)) <= MOST_HOPS


def test_every_folder_of_the_page_exists() -> None:
    folders = [
        folder
        for folder in re.findall(r"`([\w/]+)/(?:my_\w+\.py)?`", PAGE)
        if not folder.startswith(("src", "tests"))
    ]
    assert folders
    assert [folder for folder in folders if not (SOURCE / folder).is_dir()] == []


@cache
def edges_of_source() -> tuple[tuple[str, str], ...]:
    return tuple(read_edges(read_modules(SOURCE)))


@pytest.mark.slow
def test_the_drawing_of_the_rooms_is_that_of_the_source() -> None:
    made = draw(list(edges_of_source()))
    assert DRAWING.read_text(encoding="utf-8") == made, "run: python tools/draw_rooms.py"


@pytest.mark.parametrize(
    "change",
    [lambda edges: [*edges, ("attacks.tight", "intervals.exact")], lambda edges: edges[: len(edges) // 2]],
    ids=["one import more", "half of the imports"],
)
@pytest.mark.slow
def test_another_import_makes_another_drawing(
    change: Callable[[list[tuple[str, str]]], list[tuple[str, str]]],
) -> None:
    edges = list(edges_of_source())
    assert draw(change(edges)) != draw(edges)


@pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="the tool reads the source of a checkout")
@pytest.mark.slow
def test_a_stale_drawing_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("draw_rooms.read_modules", cache(read_modules))  # the source stays as it is between the two
    assert main(["--check"]) == 0
    monkeypatch.setattr("draw_rooms.DRAWING", ROOT / "nowhere.svg")
    assert main(["--check"]) == 1
    assert "run tools/draw_rooms.py" in capsys.readouterr().out


@pytest.mark.slow
def test_hops_count_child_processes_too(tmp_path: Path) -> None:
    """A learner of the user's own trains in a child."""
    pair = tmp_path / "pair.py"
    pair.write_text("from mlaudit import Dataset, Pair\n\npair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))\n")
    here = trace(["run", "laplace", "--trainings", "100"])
    learner = ["run", "examples/my_learner.py:NoisyMeans", "--epsilon", "1", "--pair", f"{pair}:pair"]
    there = trace([*learner, "--trainings", "100", "--classifier", "logistic"])
    assert "cli/__init__.py:main" in here.functions
    assert len(here.functions) <= MOST_FUNCTIONS
    assert "auditing/options.py:option" in here.importing
    assert not set(here.importing) & set(here.functions)
    assert not any("engines/_child.py" in function for function in here.functions)
    assert any("engines/_child.py:main" in function for function in there.functions)
    assert any("adapters/fitted.py" in function for function in there.functions)
