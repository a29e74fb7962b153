"""Files from a stranger are data: nothing that they name or hold is run, whichever command reads them.

Every hostile file below would make a file named `canary` if any of its code ran. The last tests show that the canary
works: it does appear where the user runs a sweep file that names code.
"""

import ast
import json
import pickle
import sqlite3
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlaudit
from mlaudit.cli import main
from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.codec import decode
from mlaudit.naming.plugins import load_shipped
from mlaudit.report.spreadsheet import escape
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.block import Block
from mlaudit.types.dataset import Dataset
from mlaudit.types.row import Row, Study
from mlaudit.witness.script import _data_code

SOURCES = Path(mlaudit.__file__).parent
SCRIPT = "<script>alert(1)</script>"
EVIL = """
from pathlib import Path

Path({canary!r}).touch()
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def draw(*_, **__):
    return None


def learner(data, rng):
    return data.X.sum() + rng.laplace()
"""


class Touches:
    """Unpickled, it makes the canary."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.canary,))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that can be imported from, with code that must not run."""
    (tmp_path / "evil.py").write_text(EVIL.format(canary=str(tmp_path / "canary")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("evil", None)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an honest run."""
    folder = tmp_path_factory.mktemp("honest") / "run"
    words = ["run", "laplace", "--rows", "1", "--trainings", "100", "--procedure", "two_phase"]
    assert main([*words, "--classifier", "logistic", "--interval", "clopper_pearson", "--out", str(folder)]) == 0
    return folder


def unharmed(here: Path) -> bool:
    return not (here / "canary").exists()


NAMES = [
    "evil.py:draw",
    "evil:draw",
    "./evil.py:draw",
    "{here}/evil.py:draw",
    "evil",
    "os:system",
    ":draw",
    "evil.py",
]


@pytest.mark.parametrize("figure", NAMES)
def test_a_report_draws_installed_figures_only(figure: str, here: Path) -> None:
    results = SqliteResults(here / "results.sqlite")
    results.describe(Study("s", SCRIPT, SCRIPT, figure.format(here=here)))
    values = {"epsilon_lower": 0.5, "verdict": "not_refuted", "claim": {"epsilon": 1.0}, "mechanism": figure}
    results.put("c", 0, Row("s", "audit", {"mechanism": figure, "epsilon": 1.0}, values, 0.0))
    results.close()
    assert main(["report", str(here), "--format", "html"]) == 0
    page = (here / "report.html").read_text(encoding="utf-8")
    assert "There is no figure: " in page
    assert SCRIPT not in page
    assert unharmed(here)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["figures", "mechanisms", "datasets", "exhibits"])
def test_only_what_is_installed_is_loaded_by_name(kind: str, name: str, here: Path) -> None:
    with pytest.raises(InvalidInput):
        load_shipped(kind, name.format(here=here))
    assert unharmed(here)


def edited(finished: Path, here: Path, path: tuple[str, ...], to: object) -> Path:
    """The honest result with one value replaced."""
    return edited_often(finished, here, {path: to})


def edited_often(finished: Path, here: Path, values: dict[tuple[str, ...], Any]) -> Path:
    whole = json.loads((finished / "result.json").read_text(encoding="utf-8"))
    for path, to in values.items():
        at = whole
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = to
    folder = here / "theirs"
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(whole), encoding="utf-8")
    return folder


MADE = ("replay", "provenance")
CODE = {"type": "evil.py:learner", "outside": "evil"}
PICKLED = {"$array": "gASVAAAA", "dtype": "|O", "shape": [1]}
RESULTS: dict[str, tuple[tuple[str, ...], Any]] = {
    "type of the result": (("replay", "$type"), "evil:learner"),
    "type from os": (("replay", "$type"), "os:system"),
    "type of a scorer": (("replay", "finding", "witness", "scorer"), {"$type": "evil:learner", "data": 1}),
    "type in a file": (("replay", "finding", "witness", "scorer"), {"$type": "evil.py:learner"}),
    "type that is no dataclass": (("replay", "claim", "$type"), "mlaudit.types.claim:Relation"),
    "type in a module of ours": (
        ("replay", "claim"),
        {"$type": "mlaudit.naming.plugins:load", "text": "evil:draw"},
    ),
    "objects in an array": (("replay", "pair", "base", "X"), PICKLED),
    "mechanism": ((*MADE, "parameters"), CODE),
    "mechanism by name": ((*MADE, "parameters"), {"type": "evil"}),
    "mechanism within": ((*MADE, "parameters"), {"type": "AtTarget", "mechanism": CODE}),
    "procedure": ((*MADE, "procedure"), CODE),
    "interval": ((*MADE, "procedure", "interval"), CODE),
    "classifiers": ((*MADE, "procedure", "classifiers"), [CODE]),
}


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("command", ["replay", "report"])
@pytest.mark.slow
def test_nothing_in_a_result_is_run(case: str, command: str, finished: Path, here: Path) -> None:
    folder = edited(finished, here, *RESULTS[case])
    words = (
        ["replay", str(folder / "result.json"), "--trainings", "100"] if command == "replay" else ["report", "theirs"]
    )
    assert main(words) in (0, 2)
    assert unharmed(here)


def test_a_text_for_a_sampler_is_refused(finished: Path, here: Path) -> None:
    assert main(["report", str(edited(finished, here, (*MADE, "sampler"), SCRIPT))]) == 2


@pytest.mark.slow
def test_texts_of_a_result_stay_texts(finished: Path, here: Path) -> None:
    """All of them at once: a report takes a second."""
    texts = {
        "mechanism": f"{SCRIPT} mechanism",
        "dataset": f"{SCRIPT} dataset",
        "notes": [f"{SCRIPT} notes"],
        "versions": {f"{SCRIPT} versions": SCRIPT},
        "stands_for": f"{SCRIPT} stands_for",
    }
    folder = edited_often(finished, here, {(*MADE, field): to for field, to in texts.items()})
    assert main(["report", str(folder)]) == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert [field for field in texts if f"/script&gt; {field}" not in page] == [], "each of them is shown"
    for path in folder.rglob("report.*"):
        content = path.read_text(encoding="utf-8")
        assert SCRIPT not in content or path.suffix == ".csv"
        assert path.suffix != ".html" or content.count("<script") == 1, "the page's own"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    ["rm -rf ~", "mlaudit run x; rm -rf ~", "mlaudit run $(id)", "mlaudit run `id`", "mlaudit run x\nrm -rf ~",
     "mlaudit run 'x", "mlaudit run x | sh", "mlaudit run x > ~/.bashrc", 7, ["mlaudit"]],
)  # fmt: skip
def test_a_command_to_paste_is_one_command_of_mlaudit(command: object, finished: Path, here: Path) -> None:
    folder = edited(finished, here, ("command",), command)
    assert main(["report", str(folder), "--format", "html"]) == 0
    assert "Repeat it" not in (folder / "report.html").read_text(encoding="utf-8")


def test_texts_of_a_result_do_not_move_the_cursor(
    finished: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = edited(finished, here, (*MADE, "dataset"), "\x1b[2J\x07")
    capsys.readouterr()
    assert main(["replay", str(folder / "result.json"), "--trainings", "100"]) == 0
    (folder / "result.json").write_text("{}", encoding="utf-8")
    assert main(["run", "laplace", "--rows", "1", "--trainings", "100", "--out", str(folder)]) == 2
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("os:system", "may only hold values"),
        ("mlaudit.naming.plugins:load_file", "may only hold values"),
        ("mlaudit.drawing.stores.sqlite:SqliteStore", "may only hold values"),  # in a room that is no value's
        ("SqliteStore", "may only hold values"),
        ("Procedure", "may only hold values"),  # a class of ours, and no dataclass
        ("their.types:Claim", "may only hold values"),  # a class of theirs with a name of ours
    ],
)
def test_values_are_built_of_our_dataclasses_only(name: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        decode({"$type": name, "path": "evil.py"})


@pytest.mark.filterwarnings("default")
@pytest.mark.slow
def test_draws_of_a_stranger_are_not_counted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All trainings on D forged to say 1 and all on D′ 0 would be a violation of anything."""
    words = ["run", "laplace", "--rows", "1", "--trainings", "400", "--epsilon", "1", "--json"]
    assert main([*words, "--out", "honest"]) == 0
    honest = json.loads(capsys.readouterr().out)["epsilon_lower"]
    assert main([*words, "--out", "theirs"]) == 0
    (here / "theirs" / "result.json").unlink()
    forge(here / "theirs" / "draws.sqlite", key=b"t" * 32)
    capsys.readouterr()
    assert main([*words, "--out", "theirs"]) == 0
    said = capsys.readouterr()
    assert said.err.count("draws of another account or machine, which are drawn again") == 1, "for all blocks"
    assert json.loads(said.out)["epsilon_lower"] == honest
    (here / "theirs" / "result.json").unlink()
    assert main([*words, "--out", "theirs"]) == 0
    assert capsys.readouterr().err == "", "by now they are ours again"


def forge(path: Path, key: bytes) -> None:
    """Every block replaced by one that a stranger made, with checksums of their own."""
    with sqlite3.connect(path) as db:
        found = db.execute("SELECT arm, start, n FROM blocks ORDER BY arm, start").fetchall()
        db.execute("DELETE FROM blocks")
    db.close()
    arms = sorted({arm for arm, _, _ in found})
    theirs = SqliteStore(path, key)
    for arm, start, n in found:
        z = np.full((n, 1), float(arms.index(arm)))
        theirs.put(arm, start, Block(z, np.ones(n, dtype=np.int64), np.full(n, ""), "", 0.0))
    theirs.close()


def test_a_block_that_holds_an_object_is_not_read(here: Path) -> None:
    store = SqliteStore(here / "draws.sqlite")
    store.put("arm", 0, Block(np.zeros((1, 1)), np.ones(1, dtype=np.int64), np.full(1, ""), "", 0.0))
    store.close()
    with sqlite3.connect(here / "draws.sqlite") as db:
        evil = pickle.dumps(Touches(here / "canary"))
        db.execute("UPDATE blocks SET z = ?, kinds = ?, error = ?", (evil, evil, evil))
    db.close()
    with pytest.warns(UserWarning, match="is damaged"):
        assert list(SqliteStore(here / "draws.sqlite").read("arm", 0, 1)) == []
    assert unharmed(here)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE more (x)",
        "DROP INDEX by_cell",
    ],
)
def test_a_store_with_other_tables_is_refused(statement: str, here: Path) -> None:
    SqliteResults(here / "results.sqlite").close()
    with sqlite3.connect(here / "results.sqlite") as db:
        db.execute(statement)
    db.close()
    with pytest.raises(AuditError, match="must have the tables that mlaudit makes"):
        SqliteResults(here / "results.sqlite")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_rows_of_a_stranger_are_shown_but_not_taken_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[grid]\nmechanism = "laplace"\nepsilon = 1\nrows = 1\ntrainings = 300\n'
    (here / "small.toml").write_text(text, encoding="utf-8")
    words = ["sweep", "small.toml", "--out", "out", "--quiet", "--json"]
    assert main(words) == 0
    store = here / "out" / "results.sqlite"
    (row,) = SqliteResults(store).rows("small")
    forged = Row(row.study, row.kind, row.settings, {**row.values, "verdict": "violated"}, row.cpu_seconds)
    with sqlite3.connect(store) as db:
        (cell,) = db.execute("SELECT cell FROM results").fetchone()
    db.close()
    theirs = SqliteResults(store, b"t" * 32)
    theirs.put(cell, 0, forged)
    theirs.put(cell, 1, Row(row.study, row.kind, {**row.settings, "label": "more"}, forged.values, 0.0))
    theirs.close()
    assert [one.values["verdict"] for one in SqliteResults(store).rows("small")] == ["violated"] * 2
    capsys.readouterr()
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.err.count("results of another account or machine, which are measured again") == 1
    assert json.loads(said.out)["violated"] == 0
    assert [one.values["verdict"] for one in SqliteResults(store).rows("small")] == ["not_refuted"]


ODD = {"study": "s", "kind": "audit", "settings": 3, "values": 4, "cpu_seconds": 5}


@pytest.mark.parametrize("row", ["[]", "null", "{}", "[" * 100_000, '{"study": 1}', json.dumps(ODD)])
@pytest.mark.filterwarnings("default")
def test_rows_and_studies_of_other_forms_cost_no_report(
    row: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = SqliteResults(here / "results.sqlite")
    results.describe(Study("s", "S"))
    values = {"epsilon_lower": 10**400, "verdict": "not_refuted", "claim": {"epsilon": 1.0}, "rows": 10**400}
    results.put("good", 0, Row("s", "audit", {"mechanism": "m", "epsilon": 1.0}, values, 0.0))
    parts = [b"bad", row.encode()]
    seal = results._seal.of(parts)
    results._write("INSERT INTO results VALUES ('s', 'bad', 1, 'bad', ?, ?)", (row, seal))
    results._write("INSERT INTO studies VALUES ('t', ?)", (row,))
    results.close()
    assert main(["report", str(here), "--format", "html"]) == 0
    assert "is damaged" in capsys.readouterr().err
    page = (here / "report.html").read_text(encoding="utf-8")
    assert "got neither" in page, "a bound of four hundred digits is no number"


def test_pickles_in_arrays_of_a_dataset_are_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept of a download lies in the cache, where somebody else may have put it."""
    from mlaudit.datasets import _images
    from mlaudit.datasets.cifar10 import SOURCE

    monkeypatch.setenv("MLAUDIT_CACHE", str(here / "cache"))
    monkeypatch.delenv("MLAUDIT_DATA", raising=False)
    (here / "cache" / "openml").mkdir(parents=True)
    evil = np.array([Touches(here / "canary")], dtype=object)
    with (here / "cache" / "openml" / SOURCE.file).open("wb") as file:
        np.savez(file, x_train=evil, y_train=evil)
    assert b"canary" in (here / "cache" / "openml" / SOURCE.file).read_bytes()
    _images._read_published.cache_clear()
    with pytest.raises(InvalidInput, match="must be what was kept of a download"):
        _images._read_published(SOURCE)
    assert unharmed(here)


def test_a_parquet_file_with_a_pickled_type_is_data(here: Path) -> None:
    """pyarrow before 14.0.1 unpickled such a type when it read it (CVE-2023-47248); we need 15."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    evil = pickle.dumps(Touches(here / "canary"))
    metadata = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": evil}
    column = pa.array(["0.1", "0.2", "0.3", "0.4"])
    schema = pa.schema([pa.field("a", column.type, metadata=metadata), pa.field("y", column.type)])
    parquet.write_table(pa.table([column, pa.array(["0", "1", "0", "1"])], schema=schema), here / "theirs.parquet")
    words = ["run", "laplace", "--rows", "1", "--trainings", "100", "--attack", "swap_x", "--data", "theirs.parquet"]
    main([*words, "--out", "out"])
    assert unharmed(here)


def test_labels_and_numbers_reach_a_script_as_literals() -> None:
    label = "']); __import__('pathlib').Path('canary').touch(); np.array(['"
    tree = ast.parse(f"D = {_data_code(Dataset([[0.0], [1.0]], [label, 'b']))}")
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert [ast.unparse(call) for call in calls] == ["np.array", "np.array"]
    assert label in {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "\n=1", "＝1+1", "＠A1"])
def test_a_spreadsheet_runs_no_formula_of_a_stranger(text: str) -> None:
    assert escape(text) == f"'{text}"


@pytest.mark.parametrize("name", ["report.csv", "report.csv.part", "report.html", "figures"])
@pytest.mark.slow
def test_a_report_does_not_write_through_a_link(name: str, finished: Path, here: Path) -> None:
    """A folder from an archive may hold links to the user's own files."""
    folder = edited(finished, here, ("command",), "mlaudit run laplace")
    mine = here / "mine"
    if name == "figures":
        mine.mkdir()
    else:
        mine.write_text("precious", encoding="utf-8")
    (folder / name).symlink_to(mine)
    assert main(["report", str(folder)]) == (2 if name == "figures" else 0)
    assert mine.read_text(encoding="utf-8") == "precious" if name != "figures" else not list(mine.iterdir())


@pytest.mark.parametrize("name", ["result.json", "result.json.part"])
def test_a_run_does_not_write_through_a_link(name: str, here: Path) -> None:
    folder, mine = here / "out", here / "mine"
    folder.mkdir()
    (folder / name).symlink_to(mine)
    assert main(["run", "laplace", "--rows", "1", "--trainings", "100", "--out", "out"]) == 0
    assert not mine.exists()


def test_a_sweep_file_may_not_name_a_figure_that_is_not_installed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "theirs.toml").write_text('figure = "evil.py:draw"\n[grid]\nmechanism = "laplace"\n', encoding="utf-8")
    assert main(["sweep", "theirs.toml", "--out", "out"]) == 2
    assert "no figure is called 'evil.py:draw'" in capsys.readouterr().err
    assert unharmed(here)


@pytest.mark.slow
def test_code_that_the_user_runs_does_run_and_its_report_does_not_run_it_again(here: Path) -> None:
    """The canary sings where it may: a sweep file names code, and the user runs the sweep."""
    text = '[grid]\nmechanism = "evil.py:learner"\npair = "evil.py:pair"\nepsilon = 1\ntrainings = 100\n'
    (here / "mine.toml").write_text(text, encoding="utf-8")
    assert main(["sweep", "mine.toml", "--out", "out", "--quiet"]) == 0
    assert not unharmed(here)
    (here / "canary").unlink()
    for name in [name for name in sys.modules if name.startswith("mlaudit_file_evil")]:
        del sys.modules[name]
    assert main(["report", "out", "--format", "html"]) == 0
    assert unharmed(here)


# Who may turn text into code. Everything else must use `load_shipped`, which imports only what is installed.
MAY_LOAD = {
    "load": {
        "cli/check.py",
        "cli/engines.py",
        "cli/library.py",
        "auditing/build.py",
        "auditing/inputs.py",
        "auditing/learner.py",
        "cli/trainers.py",
        "cli/zoo.py",
        "datasets/_load.py",
    },
    "load_file": set(),
}
# Who may call these, and with what: names of this package's own modules, or what a worker was sent by its parent.
MAY_CALL = {
    "import_module": {
        "__init__.py", "naming/plugins.py", "naming/codec.py", "cli/__init__.py",
        "samplers/sampled.py", "drawing/engines/ray.py",
        "adapters/helpers/mlaudit_serve.py",  # never imported here: users run it in a process of their own
        "library/catalogues/multi_freq_ldpy.py",  # modules of one library, by names that stand in this file
    },
    "loads of pickle": {
        "drawing/engines/_child.py", "drawing/engines/_messages.py", "drawing/engines/_parcel.py",
        "testing/mechanism.py",
    },
    "exec_module": {"naming/plugins.py", "adapters/helpers/mlaudit_serve.py"},
    "exec": {"testing/recipe.py"},  # the recipe of a mechanism that its author passes to the kit as an object
}  # fmt: skip
NEVER = {"eval", "compile", "__import__", "execfile", "unsafe_load"}


@cache
def sources() -> list[tuple[str, list[ast.AST]]]:
    """Every file, and all that stands in it."""
    found = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCES.rglob("*.py"))}
    return [(path.relative_to(SOURCES).as_posix(), list(ast.walk(tree))) for path, tree in found.items()]


@pytest.mark.slow
def test_few_modules_may_import_what_the_user_names() -> None:
    found: dict[str, set[str]] = {name: set() for name in MAY_LOAD}
    for place, nodes in sources():
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module == "mlaudit.naming.plugins":
                for alias in node.names:
                    if alias.name in found:
                        found[alias.name].add(place)
            # `import mlaudit.naming.plugins` or `from mlaudit import plugins` would go round this test.
            names = (
                [alias.name for alias in getattr(node, "names", ())]
                if isinstance(node, ast.Import | ast.ImportFrom)
                else []
            )
            assert "mlaudit.naming.plugins" not in names, place
            assert not (isinstance(node, ast.ImportFrom) and node.module == "mlaudit" and "plugins" in names), place
    assert found == MAY_LOAD, "a module that reads files must use load_shipped"


@pytest.mark.slow
def test_one_module_may_make_a_program_of_text() -> None:
    users = {
        place
        for place, nodes in sources()
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        and node.module in ("mlaudit.adapters.program", "mlaudit.adapters.programs.requests")
    }
    assert users == {"auditing/learner.py", "adapters/program.py"}


@pytest.mark.slow
def test_few_modules_may_turn_text_or_bytes_into_code() -> None:
    found: dict[str, set[str]] = {name: set() for name in MAY_CALL}
    for place, nodes in sources():
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            last = called.rpartition(".")[2]
            assert called not in NEVER, f"{place}: {called}"
            if last in found:
                found[last].add(place)
            if called in ("pickle.loads", "pickle.load", "cloudpickle.loads", "joblib.load", "dill.loads"):
                found["loads of pickle"].add(place)
            if called == "np.load":
                settings = {word.arg: ast.unparse(word.value) for word in node.keywords}
                assert settings.get("allow_pickle") == "False", place
    assert found == MAY_CALL
