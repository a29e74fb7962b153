"""Sweep files: what they make of a grid, and one sentence for everything that is wrong with one."""

from pathlib import Path

import pytest

from mlaudit.cli import main
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load_shipped, names
from mlaudit.sweep.config import parse_sweep, read_sweep
from mlaudit.sweep.grid import list_settings
from mlaudit.sweep.jobs import read_jobs, settings_of

EXAMPLES = Path(__file__).parents[2] / "examples"
STUDIES = sorted([*(EXAMPLES / "paper").glob("*.toml"), *(EXAMPLES / "dp_sgd").glob("*.toml")])
KNOWN = {kind: settings_of(load_shipped("kinds", kind).spec) for kind in names("kinds")}
LAPLACE = 'grid = { mechanism = "laplace", epsilon = [0.5, 1] }\n'


def settings(text: str) -> list[dict[str, object]]:
    return [found for _, found in list_settings(parse_sweep(text, "a", "a.toml"), KNOWN)]


def test_every_combination_is_a_cell_once_for_each_replicate() -> None:
    made = settings('replicates = 2\nseed = 5\n[grid]\nmechanism = ["laplace"]\nepsilon = [1, 2, 1]\nrows = [1, 4]\n')
    assert len(made) == 2 * 2 * 2
    assert [(m["epsilon"], m["rows"], m["replicate"], m["seed"]) for m in made[:3]] == [
        (1, 1, 0, 5), (1, 1, 1, 6), (1, 4, 0, 5),
    ]  # fmt: skip


def test_overrides_look_at_the_grid_and_the_last_one_wins() -> None:
    made = settings(
        LAPLACE.replace("]", ", 2]")
        + """
[[override]]
where = { epsilon = [1, 2] }
set = { rows = 2, trainings = 500 }
[[override]]
where = { epsilon = 2, mechanism = "laplace" }
set = { rows = 4 }
[[override]]
where = { epsilon = 0.5 }
skip = true
"""
    )
    assert [(m["epsilon"], m["rows"], m["trainings"]) for m in made] == [(1, 2, 500), (2, 4, 500)]


def test_a_label_makes_a_cell_of_its_own_and_the_same_measurement() -> None:
    text = '[[grid]]\nmechanism = "laplace"\nlabel = ["a", "b"]\n'
    first, second = read_jobs([parse_sweep(text, "a", "a.toml")])
    assert first.key == second.key


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[gird]\n", "no key of a sweep is called 'gird'; did you mean 'grid'?"),
        ("grid = 3\n", "grid must be a table, got 3"),
        ("x = [", "must be a TOML file, got: "),
        ("title = 3\n" + LAPLACE, "title must be text, got 3"),
        ("replicates = 0\n" + LAPLACE, "replicates must be a whole number of at least 1, got 0"),
        ("replicates = 1000000000\n" + LAPLACE, "at most 100000 cells, got 2 combinations × 1000000000 replicates"),
        ("replicates = 1.5\n" + LAPLACE, "replicates must be a whole number"),
        ("seed = -1\n" + LAPLACE, "seed must be a whole number of at least 0, got -1"),
        ('[grid]\nmechanism = "laplace"\nepsilon = []\n', "needs at least one value, got none for epsilon"),
        ("title = 'nothing'\n", "must have at least one cell, got none"),
        ('[grid]\nmechanisms = "laplace"\n', "is called 'mechanisms'; did you mean 'mechanism'?"),
        (
            '[grid]\nkind = "audits"\nmechanism = "laplace"\n',
            "no kind of cell is called 'audits'; did you mean 'audit'",
        ),
        ('[grid]\nmechanism = "laplace"\nseed = 3\n', "no setting of a cell of kind audit is called 'seed'"),
        ("[grid]\nepsilon = 1\n", "a cell of kind audit must have a setting 'mechanism', got none"),
        ('[grid]\nmechanism = "laplce"\n', "no mechanism is called 'laplce'; did you mean 'laplace'?"),
        ('[grid]\nmechanism = "laplace"\nepsilon = "big"\n', "epsilon"),
        ('[grid]\nmechanism = "laplace"\nepsilon = -1\n', "epsilon must be a number in (0, inf), got -1.0"),
        ('[grid]\nmechanism = "laplace"\nparam = 3\n', "param must be a table, as in { C = 10 }, got 3"),
        ('[grid]\nmechanism = "naive_bayes"\ndata = "irsi"\n', "no dataset is called 'irsi'; did you mean 'iris'?"),
        (LAPLACE + "[[override]]\nset = { rows = 2 }\n", "an override needs where"),
        (LAPLACE + "[[override]]\nwhere = { epsilon = 1 }\n", "an override needs where"),
        (LAPLACE + "[[override]]\nwhere = { epsilon = 1 }\nskipp = true\n", "did you mean 'skip'?"),
        (LAPLACE + "[[override]]\nwhere = { epsilon = 3 }\nskip = true\n", "values of the grid, got epsilon = 3"),
        (
            LAPLACE + "[[override]]\nwhere = { epsilon = 1 }\nset = { row = 2 }\n",
            "is called 'row'; did you mean 'rows'",
        ),
        ('[grid]\nkind = "coverage"\ninterval = "katz_log"\np1 = 0.1\n', "must have a setting 'n', got none"),
        ('[grid]\nkind = "coverage"\ninterval = "katz_log"\np1 = 2\nn = 10\n', "p1 must be"),
        ('[grid]\nkind = "influence"\nmechanism = "logistic_output"\ndata = "iris"\n', None),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_before_anything_runs(
    text: str, sentence: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    if sentence is None:
        assert len(read_jobs([read_sweep(file)])) == 1
        return
    assert main(["sweep", str(file), "--out", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert sentence in err
    assert not (tmp_path / "out").exists()


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="must be a readable sweep file, got"):
        read_sweep(tmp_path / "none.toml")
    sweep = parse_sweep(LAPLACE, "same", "same.toml")
    with pytest.raises(InvalidInput, match="must have different names, got 'same' twice"):
        read_jobs([sweep, sweep])


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_the_papers_studies_are_sound(path: Path) -> None:
    """Every name in them is known, and every figure; their data may be out of reach here."""
    sweep = read_sweep(path)
    assert list_settings(sweep, KNOWN)
    assert sweep.study.title
    assert sweep.study.about
    assert sweep.study.figure in names("figures")
