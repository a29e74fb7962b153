"""Whatever is typed wrongly ends in one sentence, exit code 2, and a folder that still works."""

import json
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mlaudit.cli import main

GOOD = shlex.split(
    "run laplace --rows 1 --trainings 100 --procedure two_phase --classifier logistic --interval clopper_pearson"
)

MINE = """
import threading
import numpy as np
from sklearn.naive_bayes import GaussianNB
from mlaudit import Dataset, Pair
from mlaudit.naming.plugins import load

five = 5
one = Dataset([0.0, 1.0])
ok = Pair(one, Dataset([1.0, 1.0]))
outside = Pair(one, Dataset([2.0, 1.0]))

class RaisingInterval:
    def log_ratio(self, hits, false_hits, trials, false_trials, alpha, delta=0.0):
        return {}["bound"]

far_away = Dataset([[5.0], [6.0]], y=[0, 1])
longer = Pair(one, Dataset([0.0, 1.0, 1.0]))
bayes = GaussianNB()
lock = threading.Lock()


def count(data, rng):
    return float(data.X.sum() + rng.laplace())


def columns():
    return Pair(one, Dataset([[0.0, 1.0], [1.0, 1.0]]))


def labels():
    return Pair(one, Dataset([1.0, 1.0], y=[0, 1]))


def equal():
    return Pair(one, Dataset([0.0, 1.0]))


def no_pair():
    raise RuntimeError("first line\\nsecond line")


def raises(data, rng):
    raise OverflowError("too much")


def leaves(data, rng):
    raise SystemExit(0)


def none(data, rng):
    return None


def text(data, rng):
    return object()


def locked(data, rng):
    with lock:
        return count(data, rng)


def misspelt(data, rng):
    return load("attacks", "swapx")


def factory(epsilon):
    raise ZeroDivisionError("no noise")


def makes_five(epsilon):
    return 5


def attack_raises(mechanism, data, rows, rng):
    raise KeyError("corner")


def attack_none(mechanism, data, rows, rng):
    return None


class Broken:
    def __init__(self):
        raise RuntimeError("cannot be made")
"""

FILES = {
    "mine.py": MINE,
    "syntax.py": "def f(:\n",
    "leaving.py": "raise SystemExit(0)\n",
    "empty.csv": "",
    "header.csv": "a,y\n",
    "text.csv": "a,y\n" + "0.1,0\n0.2,1\n" * 10 + "red,1\n",
    "ragged.csv": "a,y\n0.1,0\n0.2,1,9\n",
    "nan.csv": "a,y\nnan,0\n?,1\n,1\n",
    "infinite.csv": "a,y\n0.1,0\ninf,1\n0.3,1\n",
    "constant.csv": "a,y\n1,0\n1,1\n",
    "twice.csv": "a,a,y\n1,2,0\n2,3,1\n",
    "ids.csv": "a,name,y\n" + "".join(f"{i},person {i},{i % 2}\n" for i in range(200)),
    "one_class.csv": "a,y\n0.1,1\n0.2,1\n0.3,1\n",
    "label_only.csv": "y\n0\n1\n",
    "fine.csv": "a,y\n0.1,0\n0.2,1\n0.3,0\n0.4,1\n",
    "not.json": "{",
    "list.json": "[]",
    "deep.json": "[" * 100_000,
    "plain.json": "{}",
    "file": "",
}


class Bad(NamedTuple):
    """A call, the words its sentence must have, and what stands in its way."""

    call: str
    words: tuple[str, ...]
    setup: Callable[[Path, Path], None] | None = None
    code: int = 2


def edited(*path: str, to: Any) -> Callable[[Path, Path], None]:
    """The good result, with one value replaced, as bad.json."""

    def setup(here: Path, finished: Path) -> None:
        whole = json.loads((finished / "result.json").read_text(encoding="utf-8"))
        at = whole
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = to
        (here / "bad.json").write_text(json.dumps(whole), encoding="utf-8")

    return setup


def finished_run(here: Path, finished: Path) -> None:
    shutil.copytree(finished, here / "out", ignore=shutil.ignore_patterns("*-wal", "*-shm"))


def damaged_result(here: Path, finished: Path) -> None:
    finished_run(here, finished)
    result = here / "out" / "result.json"
    result.write_bytes(result.read_bytes()[:100])


def result_is_a_folder(here: Path, finished: Path) -> None:
    (here / "out" / "result.json").mkdir(parents=True)


def only_draws(here: Path, finished: Path) -> None:
    finished_run(here, finished)
    for name in ("result.json", "audit.json"):
        (here / "out" / name).unlink()


def other_format(here: Path, finished: Path) -> None:
    only_draws(here, finished)
    with sqlite3.connect(here / "out" / "draws.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()


def other_database(here: Path, finished: Path) -> None:
    (here / "out").mkdir()
    with sqlite3.connect(here / "out" / "draws.sqlite") as db:
        db.execute("CREATE TABLE photographs (name TEXT)")
    db.close()


def garbage_store(here: Path, finished: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / "draws.sqlite").write_bytes(b"no database at all " * 100)


def damaged_pages(here: Path, finished: Path) -> None:
    only_draws(here, finished)
    store = here / "out" / "draws.sqlite"
    whole = store.read_bytes()
    store.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


def latin_1(here: Path, finished: Path) -> None:
    (here / "latin.csv").write_bytes("größe,y\n0.1,0\n".encode("latin-1"))


def own_seed(here: Path, finished: Path) -> None:
    shutil.copytree(finished, here / "done")


RUN = "run laplace --rows 1 --trainings 200"
MY = "run mine.py:count --trainings 200 --pair mine.py:ok"
OTHER = "--rows 1 --trainings 100 --procedure two_phase --classifier logistic --interval katz_log --out out"

BAD = {
    # numbers
    "epsilon negative": Bad(f"{RUN} --epsilon -1", ("epsilon must be a number in (0, inf)", "got -1.0")),
    "epsilon zero": Bad(f"{RUN} --epsilon 0", ("epsilon must be", "got 0.0")),
    "epsilon nan": Bad(f"{RUN} --epsilon nan", ("epsilon must be", "got nan")),
    "epsilon infinite": Bad(f"{RUN} --epsilon inf", ("epsilon must be", "got inf")),
    "epsilon text": Bad(f"{RUN} --epsilon one", ("--epsilon", "'one'", "--help")),
    "epsilon missing": Bad("run mine.py:count --pair mine.py:ok", ("must come with a claim", "--epsilon")),
    "delta one": Bad("run gaussian --rows 1 --delta 1", ("delta must be a number in [0, 1)", "got 1.0")),
    "delta zero": Bad("run gaussian --rows 1 --delta 0", ("delta above 0", "got 0")),
    "alpha": Bad(f"{RUN} --alpha 1.5", ("alpha must be a number in (0, 1)", "got 1.5")),
    "trainings zero": Bad(f"{RUN} --trainings 0", ("trainings must be a whole number", "at least 100", "got 0")),
    "trainings negative": Bad(f"{RUN} --trainings -5", ("trainings must be", "got -5")),
    "trainings text": Bad(f"{RUN} --trainings many", ("--trainings", "'many'")),
    "trainings beyond memory": Bad(
        f"{RUN} --trainings {10**14}", ("trainings must be", "at most 100000000", "fewer")
    ),
    "rows zero": Bad(f"{RUN} --rows 0", ("rows must be a whole number of at least 1", "got 0")),
    "rows text": Bad(f"{RUN} --rows a,b", ("--rows must be whole numbers like 1,2,4,8", "'a,b'")),
    "rows none": Bad(f"{RUN} --rows ,", ("--rows must be", "','")),
    "rows too many": Bad(f"{RUN} --data fine.csv --attack swap_x --rows 3", ("3 rows", "got 2", "fewer rows")),
    "jobs": Bad(f"{RUN} --jobs 0", ("jobs must be a whole number of at least 1", "got 0")),
    "seed": Bad(f"{RUN} --seed -1", ("seed must be a whole number of at least 0", "got -1")),
    "too few trainings to choose": Bad(
        "run laplace --rows 1,2,3,4,5,6,7,8,9,10 --trainings 100", ("more trainings",)
    ),
    # words
    "command": Bad("rum laplace", ("invalid choice: 'rum'", "run", "--help")),
    "no command": Bad("", ("required: command", "--help")),
    "option": Bad(f"{RUN} --epsilom", ("--epsilom", "--help")),
    "mechanism": Bad("run laplce", ("no mechanism is called 'laplce'", "did you mean 'laplace'?")),
    "mechanism unlike any": Bad("run zzz", ("no mechanism is called 'zzz'", "known: ", "laplace")),
    "attack": Bad(f"{RUN} --attack tigth", ("no attack is called", "did you mean 'tight'?")),
    "attack none": Bad(f"{RUN} --attack ,", ("at least one", "','")),
    "attack without data": Bad(f"{RUN} --attack swap_x", ("needs data", "got none")),
    "procedure": Bad(f"{RUN} --procedure two_phases", ("no procedure is called", "did you mean 'two_phase'?")),
    "interval": Bad(f"{RUN} --procedure two_phase --interval exakt", ("no interval", "did you mean 'exact'?")),
    "classifier": Bad(f"{RUN} --classifier logistics", ("no classifier", "did you mean 'logistic'?")),
    "classifier none": Bad(f"{RUN} --classifier ,", ("at least one", "','")),
    "dataset": Bad(f"{RUN} --data irsi", ("no dataset is called 'irsi'", "did you mean 'iris'?")),
    "relation": Bad(f"{RUN} --relation replace", ("no relation", "did you mean 'replace-one'?")),
    "list kind": Bad("list attack", ("'attack'", "did you mean 'attacks'?")),
    "check a shipped name": Bad("check laplace", ("your own code", "my_file.py:my_mechanism", "'laplace'")),
    # combinations
    "paper and interval": Bad(f"{RUN} --paper --interval exact", ("--paper already sets", "leave those out")),
    "paper and classifier": Bad(f"{RUN} --paper --classifier logistic", ("--paper already sets",)),
    "interval and progressive": Bad(f"{RUN} --interval exact", ("progressive uses no interval", "use two_phase")),
    "pair and data": Bad(f"{MY} --epsilon 1 --data iris", ("either --pair, or --data", "got both")),
    "target without file": Bad(f"{RUN} --target y", ("--target", "no --data", "leave --target out")),
    "target of a named dataset": Bad(f"{RUN} --data iris --target y", ("target names a column of a file", "'iris'")),
    "gdp_accuracy on pure DP": Bad(f"{RUN} --procedure gdp_accuracy", ("delta above 0", "use progressive")),
    "function without pair": Bad("run mine.py:count --epsilon 1", ("count has no worst pair", "got neither")),
    "param malformed": Bad(f"{RUN} --param epsilon", ("--param must look like name=value", "'epsilon'")),
    "param unknown": Bad(f"{RUN} --param epsilom=2", ("no parameter of laplace", "did you mean 'epsilon'?")),
    "param of a wrong type": Bad(f"{RUN} --param epsilon=abc", ("epsilon must be a number", "got 'abc'")),
    # files
    "file missing": Bad("run nothing.py:f --epsilon 1", ("nothing.py must be a Python file", "check the path")),
    "file with a syntax error": Bad(
        "run syntax.py:f --epsilon 1", ("syntax.py must import", "SyntaxError", "line 1")
    ),
    "file that exits": Bad("run leaving.py:f --epsilon 1", ("leaving.py must import", "SystemExit")),
    "file without the object": Bad(
        "run mine.py:cuont --epsilon 1", ("no object of mine.py", "did you mean 'count'?")
    ),
    "module missing": Bad("run no.such.module:f --epsilon 1", ("'no.such.module' must be an importable module",)),
    "module unnamed": Bad("run :f --epsilon 1", ("'' must be an importable module or a .py file",)),
    "mechanism of a wrong type": Bad("run mine.py:five --epsilon 1", ("a mechanism must be", "got int")),
    "mechanism that cannot be made": Bad("run mine.py:Broken --epsilon 1", ("mine.py:Broken", "cannot be made")),
    "factory that raises": Bad("run mine.py:factory --epsilon 1", ("mine.py:factory", "ZeroDivisionError: no noise")),
    "factory of something else": Bad("run mine.py:makes_five --epsilon 1", ("must return a mechanism", "got int")),
    "pair of a wrong type": Bad(f"{RUN} --pair mine.py:five", ("mine.py:five must be a Pair", "got int")),
    "pair without a file": Bad(f"{RUN} --pair ok", ("my_file.py:my_pair", "'ok'")),
    "pair that raises": Bad(f"{RUN} --pair mine.py:no_pair", ("mine.py:no_pair", "first line second line")),
    "pair outside the domain": Bad(f"{RUN} --pair mine.py:outside", ("row 0 outside Box", "wider domain")),
    "pair of other columns": Bad(f"{RUN} --pair mine.py:columns", ("the same columns", "got 1 and 2")),
    "pair half labelled": Bad(f"{RUN} --pair mine.py:labels", ("either both datasets", "labels on one")),
    "pair of other sizes": Bad(f"{RUN} --pair mine.py:longer", ("same size", "got 2 and 3", "add-remove")),
    "pair of equals": Bad(f"{RUN} --pair mine.py:equal", ("must differ", "same rows twice")),
    "attack of a wrong type": Bad(f"{RUN} --data fine.csv --attack mine.py:five", ("mine.py:five", "got int")),
    "interval that raises": Bad(
        f"{RUN} --procedure two_phase --interval mine.py:RaisingInterval", ("KeyError: 'bound' (mine.py, line",)
    ),
    "attack that raises": Bad(f"{RUN} --data fine.csv --attack mine.py:attack_raises", ("KeyError: 'corner'",)),
    "attack without a pair": Bad(f"{RUN} --data fine.csv --attack mine.py:attack_none", ("a Pair", "got NoneType")),
    "interval of a wrong type": Bad(f"{RUN} --procedure two_phase --interval mine.py:five", ("log_ratio", "got int")),
    "procedure of a wrong type": Bad(f"{RUN} --procedure mine.py:five", ("mine.py:five", "got int")),
    # data
    "CSV missing": Bad(f"{RUN} --data nothing.csv", ("nothing.csv must be a readable CSV file", "No such file")),
    "CSV empty": Bad(f"{RUN} --data empty.csv", ("empty.csv must have a header and at least one row", "0 lines")),
    "CSV header only": Bad(f"{RUN} --data header.csv", ("header.csv must have a header and", "1 lines")),
    "CSV text": Bad(
        f"{RUN} --data text.csv", ("text.csv must hold only numbers", "column 'a', got 'red'", "correct it")
    ),
    "CSV constant": Bad(f"{RUN} --data constant.csv", ("constant.csv must have a column that varies",)),
    "CSV column twice": Bad(f"{RUN} --data twice.csv", ("name every column differently", "'a' twice")),
    "CSV with too many categories": Bad(
        f"{RUN} --data ids.csv --columns name", ("at most 100 categories", "got 200 in 'name'", "out of --columns")
    ),
    "CSV of identifiers": Bad(f"{RUN} --data ids.csv", ("got none: a, name (identifier)", "by name with --columns")),
    "CSV with unknown classes": Bad(f"{RUN} --data fine.csv --classes 0,7", ("be labels of fine.csv", "'7'")),
    "one class named": Bad(f"{RUN} --data fine.csv --classes 0", ("classes must be two different labels", "'0'")),
    "unknown categorical": Bad(f"{RUN} --data fine.csv --categorical code", ("'one-hot', 'drop' or", "'code'")),
    "unknown column": Bad(f"{RUN} --data fine.csv --columns b", ("no column of fine.csv is called 'b'", "known: a")),
    "unknown way with missing values": Bad(f"{RUN} --data fine.csv --missing mean", ("'drop' or a number", "'mean'")),
    "one row to keep": Bad(f"{RUN} --data fine.csv --max-rows 1", ("rows must be a whole number of at least 2", "1")),
    "Parquet missing": Bad(f"{RUN} --data nothing.parquet", ("nothing.parquet must be a readable Parquet file",)),
    "CSV ragged": Bad(f"{RUN} --data ragged.csv", ("2 values in every line", "got 3 in line 3")),
    "CSV of missing values": Bad(f"{RUN} --data nan.csv", ("got none: a (no value in any row)", "--columns")),
    "CSV infinite": Bad(f"{RUN} --data infinite.csv", ("infinite.csv must hold finite numbers", "column 'a'")),
    "CSV without target": Bad(
        f"{RUN} --data fine.csv --target b", ("no column of fine.csv is called 'b'", "known: a, y")
    ),
    "CSV of labels": Bad(f"{RUN} --data label_only.csv", ("at least one column beside the label", "'y'")),
    "CSV of one class": Bad(
        f"{RUN} --data one_class.csv", ("one_class.csv must have labels of two classes", "'y', got 1")
    ),
    "CSV in another encoding": Bad(f"{RUN} --data latin.csv", ("latin.csv", "UTF-8"), latin_1),
    "data outside the domain": Bad(f"{RUN} --data mine.py:far_away", ("declared domain", "row 0", "clip")),
    # learners
    "learner returning None": Bad(
        f"{MY} --epsilon 1".replace("count", "none"),
        ("must return its output", "got None", "does it end with return?"),
    ),
    "learner returning text": Bad(
        f"{MY} --epsilon 1".replace("count", "text"), ("must return numbers", "got object")
    ),
    "learner that cannot travel": Bad(
        f"{MY} --epsilon 1 --jobs 2".replace("count", "locked"), ("picklable", "use one job")
    ),
    "error of ours in a worker": Bad(
        f"{MY} --epsilon 1 --jobs 2".replace("count", "misspelt"), ("no attack is called 'swapx'", "'swap_x'")
    ),
    # folders
    "out is a file": Bad(f"{RUN} --out file", ("--out must be a folder", "file")),
    "out below a file": Bad(f"{RUN} --out file/deeper", ("--out must be a folder", "Not a directory")),
    "out cannot be written": Bad(f"{RUN} --out /proc/self/mlaudit", ("--out must be a folder that can be written",)),
    "out of another audit": Bad(
        f"run laplace {OTHER}", ("holds the result of another audit (laplace, seed 0)", "--out"), finished_run
    ),
    "damaged result": Bad(f"run laplace {OTHER}", ("result.json must be a JSON file", "--out"), damaged_result),
    "result is a folder": Bad(f"run laplace {OTHER}", ("Is a directory", "--out"), result_is_a_folder),
    "store of another format": Bad(
        f"run laplace {OTHER}", ("store of format 1, got format 99", "another folder"), other_format
    ),
    "another database": Bad(f"run laplace {OTHER}", ("got another database", "another folder"), other_database),
    "garbage for a store": Bad(f"run laplace {OTHER}", ("not a database", "another folder"), garbage_store),
    "damaged store": Bad(f"run laplace {OTHER}", ("draws.sqlite", "malformed", "another folder"), damaged_pages),
    # replays
    "replay nothing": Bad("replay nothing.json", ("nothing.json must be a readable result file", "No such file")),
    "replay no JSON": Bad("replay not.json", ("not.json must be a JSON file",)),
    "replay a list": Bad("replay list.json", ("must be a result file of mlaudit", "list")),
    "replay nested too deep": Bad("replay deep.json", ("deep.json must be a JSON file",)),
    "replay no result": Bad("replay plain.json", ("got no result in it",)),
    "replay another schema": Bad(
        "replay bad.json", ("schema version 1 or 2, got 7", "rerun"), edited("schema_version", to=7)
    ),
    "replay damaged base64": Bad(
        "replay bad.json",
        ("whole result file", "damaged values"),
        edited("replay", "pair", "base", "X", "$array", to="AAA*"),
    ),
    "replay array of objects": Bad(
        "replay bad.json", ("numbers or text", "object"), edited("replay", "pair", "base", "X", "dtype", to="|O")
    ),
    "replay os:system": Bad(
        "replay bad.json",
        ("only hold values of mlaudit", "'os:system'"),
        edited("replay", "claim", to={"$type": "os:system", "command": "touch executed"}),
    ),
    "replay subprocess:Popen": Bad(
        "replay bad.json",
        ("only hold values of mlaudit", "'subprocess:Popen'"),
        edited("replay", "claim", to={"$type": "subprocess:Popen", "args": ["touch", "executed"]}),
    ),
    "replay mlaudit.cli:main": Bad(
        "replay bad.json",
        ("only hold values of mlaudit", "'mlaudit.cli:main'"),
        edited("replay", "claim", to={"$type": "mlaudit.cli:main", "arguments": [*GOOD, "--out", "executed"]}),
    ),
    "replay a module that is not": Bad(
        "replay bad.json",
        ("only hold values of mlaudit", "mlaudit.types.nothing"),
        edited("replay", "claim", to={"$type": "mlaudit.types.nothing:Claims"}),
    ),
    "replay one value for another": Bad(
        "replay bad.json", ("whole result file", "pair must be a Pair, got int"), edited("replay", "pair", to=5)
    ),
    "replay a witness that cannot score": Bad(
        "replay bad.json", ("whole result file", "scorer"), edited("replay", "finding", "witness", "scorer", to=None)
    ),
    "replay another verdict": Bad(
        "replay bad.json",
        ("verdict must follow from the bound, got 'violated'",),
        edited("replay", "verdict", to="violated"),
    ),
    "replay damaged parameters": Bad(
        "replay bad.json",
        ("the result's laplace cannot be rebuilt", "'next-door'"),
        edited("replay", "provenance", "parameters", "relation", to="next-door"),
    ),
    "replay outside code": Bad(
        "replay bad.json",
        ("'count' from outside mlaudit", "--mechanism my_file.py:object"),
        edited("replay", "provenance", "parameters", to={"type": "count", "outside": True}),
    ),
    "replay an own interval": Bad(
        "replay bad.json",
        ("'walters' from outside mlaudit", "--interval my_file.py:object"),
        edited("replay", "provenance", "procedure", "interval", to={"type": "walters", "outside": True}),
    ),
    "replay another mechanism": Bad(
        "replay done/result.json --mechanism mine.py:count", ("must be the result's mechanism", "laplace"), own_seed
    ),
    "replay its own seed": Bad("replay done/result.json --seed 0", ("fresh", "own seed 0", "another seed"), own_seed),
    "replay a negative seed": Bad("replay done/result.json --seed -1", ("seed must be", "got -1"), own_seed),
    "replay no trainings": Bad("replay done/result.json --trainings 0", ("trainings must be", "got 0"), own_seed),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a good run."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    assert main([*GOOD, "--out", str(folder)]) == 0
    with sqlite3.connect(folder / "draws.sqlite") as db:  # as the end of a process leaves it: all in one file
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with files good and bad."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    paths = [folder] if folder.is_file() else folder.rglob("*")
    # SQLite's own scratch files come and go with the connection.
    return {str(p): p.read_bytes() for p in paths if p.is_file() and not p.name.endswith(("-wal", "-shm"))}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD.keys())
@pytest.mark.slow
def test_one_sentence_and_no_harm(case: Bad, here: Path, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if case.setup is not None:
        case.setup(here, finished)
    arguments = shlex.split(case.call)
    out = "out" if "--out out" in case.call else "file" if "--out file" in case.call else "fresh"
    if arguments[:1] == ["run"] and "--out" not in arguments:
        arguments += ["--out", out]
    before = contents(here / out) if out != "fresh" else {}
    capsys.readouterr()

    code = main(arguments)

    printed = capsys.readouterr()
    assert (code, printed.out) == (case.code, "")
    assert printed.err.startswith("mlaudit: ")
    assert printed.err.count("\n") == 1, "more than one sentence"
    assert [word for word in case.words if word not in printed.err] == [], printed.err
    assert not (here / "executed").exists()
    if out != "fresh":
        assert contents(here / out) == before, "what was there must stay as it is"
    assert main([*GOOD, "--out", "fresh"]) == 0, "the folder of a failed run must still work"
    assert (here / "fresh" / "result.json").read_bytes() == (finished / "result.json").read_bytes()


@pytest.mark.parametrize("function", ["raises", "leaves"])
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.slow
def test_a_learner_that_only_fails_shows_its_own_traceback(
    function: str, jobs: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = shlex.split(f"run mine.py:{function} --epsilon 1 --trainings 1000 --pair mine.py:ok --out out")
    for _ in range(2):  # the second time out of the store
        assert main([*call, "--jobs", jobs]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        sentence, traceback = printed.err.split("\n", 1)
        assert sentence.startswith("mlaudit: all of the first ")
        assert sentence.endswith("trainings raised; the first of them:")
        assert traceback.count("Traceback (most recent call last)") == 1
        last = {"raises": "OverflowError: too much", "leaves": "SystemExit: 0"}[function]
        assert traceback.rstrip().endswith(last)
        assert not (here / "out" / "result.json").exists()


def test_a_damaged_result_is_made_again_from_the_store(here: Path, finished: Path) -> None:
    damaged_result(here, finished)
    assert main([*GOOD, "--out", "out"]) == 2
    (here / "out" / "result.json").unlink()
    assert main([*GOOD, "--out", "out"]) == 0
    assert (here / "out" / "result.json").read_bytes() == (finished / "result.json").read_bytes()


def test_a_bad_call_does_not_disturb_a_finished_run(here: Path, finished: Path) -> None:
    finished_run(here, finished)
    before = contents(here / "out")
    for option in ("--alpha=1.5", "--trainings=0", "--seed=-1", "--epsilon=0", "--seed=1"):
        assert main([*GOOD, "--out", "out", option]) == 2
    assert contents(here / "out") == before
    assert main([*GOOD, "--out", "out"]) == 0
    after = contents(here / "out")
    store = str(here / "out" / "draws.sqlite")  # files that other tests loaded since count as a learner's
    assert after.keys() == before.keys()
    assert {name: after[name] for name in after if name != store} == {n: before[n] for n in before if n != store}


def test_a_byte_order_mark_is_no_part_of_a_column(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{i % 2},0.{i}\n" for i in range(1, 9))
    (here / "marked.csv").write_text("y,a\n" + rows, encoding="utf-8-sig")
    call = "run laplace --rows 1 --trainings 100 --attack swap_x --data marked.csv --target y --json"
    assert main(shlex.split(call)) == 0
    assert json.loads(capsys.readouterr().out)["dataset"] == "marked"
