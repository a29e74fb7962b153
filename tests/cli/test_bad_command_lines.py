"""Whatever is typed wrongly gets one sentence, exit code 2, and leaves nothing behind.

Every option of every command meets values that its kind cannot take; hypothesis adds options and words of its own.
"""

import os
import shlex
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mlaudit.cli import main
from mlaudit.cli.parser import build_parser

MINE = """
import numpy as np
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))
five = 5


class Odd(BaseException):
    pass


def count(data, rng):
    return float(data.X.sum() + rng.laplace())


def leaves(*_, **__):
    raise SystemExit(0)


def odd(*_, **__):
    raise Odd("very odd")


def closes(*_, **__):
    raise GeneratorExit


def factory(epsilon):
    raise Odd("no mechanism")


class LeavingInterval:
    def log_ratio(self, *_, **__):
        raise SystemExit(7)


class OddClassifier:
    def fit(self, z, labels):
        raise Odd("cannot learn")


class OddProcedure:
    def __call__(self, draw, claim, pair, alpha):
        raise Odd("cannot proceed")

    def confirm(self, *_):
        raise Odd("cannot confirm")
"""
RUBBISH = bytes(range(256)) * 8
CSV = "a,y\n" + "".join(f"0.{i},{i % 2}\n" for i in range(10))
SWEEP = '[grid]\nmechanism = ["laplace"]\nepsilon = [1]\n[common]\ntrainings = 100\n'
FILES: dict[str, bytes] = {
    "mine.py": MINE.encode(),
    "odd.py": b"class Odd(BaseException): pass\nraise Odd('not today')\n",
    "null.py": b"a = 1\0\n",
    "rubbish.py": RUBBISH,
    "fine.csv": CSV.encode(),
    "rubbish.csv": RUBBISH,
    "null.csv": b"a,y\n1,\0\n",
    "open_quote.csv": b'a,y\n"1,2\n3,4\n',
    "one_column.csv": b"y\n0\n1\n",
    "price.csv": b"a,price\n" + b"".join(b"%d,%d.5\n" % (i, i * i) for i in range(60)),
    "rubbish.csv.gz": RUBBISH,
    "rubbish.parquet": RUBBISH,
    "rubbish.json": RUBBISH,
    "number.json": b"7",
    "endless.json": b'{"a":' * 5000,
    "fine.toml": SWEEP.encode(),
    "rubbish.toml": RUBBISH,
    "empty.toml": b"",
    "long_number.toml": b"seed = " + b"1" * 5000,
    "nested.toml": b"a = " + b"[" * 5000,
    "many.toml": b"replicates = 1000000000\n" + SWEEP.encode(),
    "huge_seed.toml": b"seed = -1\n" + SWEEP.encode(),
    "strange.toml": b"[grid]\nmechanism = [{}]\n",
    "folder.csv/inside": b"",
    "folder.toml/inside": b"",
    "folder.json/inside": b"",
    "empty/inside": b"",
    "rubbish_results/results.sqlite": RUBBISH,
    "rubbish_result/result.json": RUBBISH,
    "other_database/results.sqlite": b"",
}

# What no option of a kind can take. Words that start with a minus are given with an equals sign.
WHOLE = ("", "one", "1.5", "nan", "-1", "0x10", "1e3", "1,2", "0")
REAL = ("", "one", "nan", "inf", "-inf", "-1", "1,5", "1e400", "0x1p3")
NAME = (
    "",
    "zzz",
    "no.such.module:f",
    "mine.py:nothing",
    "nothing.py:f",
    "odd.py:f",
    "null.py:f",
    "rubbish.py:f",
    ":",
    "a:",
    "../x",
)
FILE = ("nothing.csv", "folder.csv", "rubbish.csv", "null.csv", "open_quote.csv", "one_column.csv", "price.csv")
MORE_DATA = (
    "rubbish.csv.gz",
    "rubbish.parquet",
    "mine.py:five",
    "mine.py:odd",
    "mine.py:leaves",
    "mine.py:closes",
    "zzz",
)

LEARNER = {
    "epsilon": (*REAL, "0"),
    "delta": (*REAL, "1"),
    "relation": ("", "replace", "zzz"),
    "data": (*FILE, *MORE_DATA),
    "param": ("", "epsilon", "=1", "zzz=1", "epsilon=abc", "epsilon=-1", "epsilon=[", "relation=7"),
}
DATA = {
    "target": ("", "zzz"),
    "classes": ("", "0", "0,7", "0,0", "0,1,2"),
    "categorical": ("", "zzz"),
    "scale": ("", "zzz"),
    "max-rows": WHOLE,
    "data-seed": tuple(word for word in WHOLE if word != "0"),
}
HOW = {"alpha": (*REAL, "0", "1"), "seed": tuple(word for word in WHOLE if word != "0")}
TRAININGS = {"trainings": (*WHOLE, "99", "1000000000000")}
WHERE = {"jobs": (*WHOLE, "1000000"), "backend": ("", "zzz", "dusk"), "address": ("tcp://nowhere:1", "zzz")}
OUT = {"out": ("mine.py", "mine.py/deeper", "/proc/self/mlaudit")}
AUDIT = {
    **LEARNER,
    **HOW,
    **TRAININGS,
    **WHERE,
    **OUT,
    "bounds": ("0,1",),
    "max-columns": WHOLE,
    "pair": (*NAME, "laplace", "mine.py:five", "mine.py:odd", "mine.py:leaves"),
    "attack": (*NAME, ",", "mine.py:five", "swap_x,zzz"),
    "pilot-share": (*REAL, "0", "1"),
    "change": ("", "zzz", "add"),
    "rows": ("", "0", "-1", "a", ",", "1.5", "1,0", "1000000000"),
    "sampler": ("", "zzz", "mirror"),
    "procedure": (*NAME, "mine.py:five"),
    "interval": (*NAME, "exact"),
    "classifier": (*NAME, ",", "mine.py:five"),
    "burn-in": (*REAL, "0", "1", "0.999", "0.02"),
    "beyond": (*REAL, "2"),
}
COMMANDS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "run": ("run laplace --trainings 100 --rows 1", AUDIT),
    "run on a file": ("run naive_bayes --data fine.csv --trainings 100 --rows 1", DATA),
    "run two_phase": (
        "run laplace --trainings 100 --rows 1 --procedure two_phase --classifier logistic",
        {"interval": (*NAME, "mine.py:five")},
    ),
    "run worst": (
        "run laplace --data worst --trainings 100 --rows 1",
        {
            "bounds": ("", "0", "0,x", "1,0", "0,nan", "0,1,2", "inf,1"),
            "max-columns": WHOLE,
            "max-rows": (*WHOLE, "1"),
            "target": ("y",),
            "classes": ("a,b",),
            "scale": ("unit",),
        },
    ),
    "relations": (
        "relations naive_bayes --data fine.csv --trainings 100",
        {**{name: AUDIT[name] for name in ("epsilon", "delta", "trainings", "alpha", "seed", "rows", "jobs")}}
        | {"relation": ("add-remove",), "change": ("add",)},
    ),
    "scan": ("scan naive_bayes --data fine.csv", {**LEARNER, **HOW, **TRAININGS, **WHERE, "pilot": (*WHOLE, "9")}),
    "one-run": (
        "one-run logistic_sgd",
        {
            **{name: LEARNER[name] for name in ("epsilon", "delta", "param", "data")},
            **HOW,
            "relation": ("replace-one",),
            "canaries": (*WHOLE, "9", "1000000000"),
            "share-in": (*REAL, "2"),
            "share-out": (*REAL, "2"),
        },
    ),
    "white-box": (
        "white-box logistic_sgd",
        {
            **{name: LEARNER[name] for name in ("epsilon", "delta", "param")},
            **HOW,
            "trainings": (*WHOLE, "1000000000000"),
        },
    ),
    "sweep": ("sweep fine.toml --out out", {**WHERE, **OUT}),
    "plan": ("plan fine.toml", {"jobs": WHOLE}),
    "replay": ("replay number.json", {"trainings": ("one",), "seed": ("one",)}),
    "report": ("report empty", {"format": ("", "pdf")}),
    "selftest": ("selftest", {"audits": (*WHOLE, "9", "1000000000"), "seed": HOW["seed"]}),
    "check": ("check mine.py:count --pair mine.py:pair", {"epsilon": (*REAL, "0"), "pair": (*NAME, "mine.py:five")}),
    "zoo": (
        "zoo --only laplace_half_scale",
        {
            **HOW,
            "only": ("", "zzz", "mine.py:five", ","),
            "seeds": (*WHOLE, "1000000000"),
            "trainings": ("", "0", "-1", "x", "1.5", "10,x", "50", "1000000000000"),
            "jobs": (*WHOLE, "1000000"),
        },
    ),
}
OTHERS = """
run
run zzz
run mine.py
run mine.py:nothing
run mine.py:five --epsilon 1 --pair mine.py:pair
run mine.py:factory --epsilon 1 --pair mine.py:pair
run mine.py:count --pair mine.py:pair
run mine.py:count --epsilon 1
run mine.py:count --epsilon 1 --pair mine.py:pair --data iris
run mine.py:count --epsilon 1 --data fine.csv --attack mine.py:odd
run mine.py:count --epsilon 1 --data fine.csv --attack mine.py:leaves
run mine.py:count --epsilon 1 --data fine.csv --attack mine.py:closes
run odd.py:anything --epsilon 1
run laplace --paper --interval exact
run laplace --paper --procedure sequential
run laplace --paper --burn-in 0.2
run laplace --paper --beyond 2
run laplace --procedure sequential --burn-in 0.2
run laplace --beyond 2
run laplace --vary-domain
run laplace --target y
run laplace --data iris --target y
run laplace --data iris --change zzz
run laplace --procedure gdp_accuracy
run laplace --trainings 100 --trainings
run laplace extra
run laplace --param epsilon=1 --param
run laplace --no-such-option
relations laplace
relations laplace --data iris --relation replace-one
scan
scan laplace
scan mine.py:count --data fine.csv
scan laplace --data worst
one-run
one-run laplace
one-run mine.py:five
one-run logistic_sgd --target y
white-box
white-box mine.py:count
sweep
sweep fine.toml
sweep fine.toml fine.toml --out out
sweep nothing.toml --out out
sweep folder.toml --out out
sweep rubbish.toml --out out
sweep empty.toml --out out
sweep long_number.toml --out out
sweep nested.toml --out out
sweep many.toml --out out
sweep huge_seed.toml --out out
sweep strange.toml --out out
sweep fine.csv --out out
plan
plan nothing.toml
plan folder.toml
plan rubbish.toml
plan many.toml
plan long_number.toml
plan nested.toml
plan mine.py
replay
replay nothing.json
replay folder.json
replay rubbish.json
replay endless.json
replay fine.csv
report
report nothing
report mine.py
report empty
report rubbish_results
report rubbish_result
report other_database
list zzz
list attacks intervals
check
check laplace
check mine.py:nothing
check nothing.py:f
check odd.py:f
selftest extra
zoo --only
zoo --only zzz
zzz
--zzz
"""


def bad_lines() -> Iterator[list[str]]:
    for good, options in COMMANDS.values():
        for option, values in options.items():
            yield from ([*shlex.split(good), f"--{option}={value}"] for value in values)
    yield from (shlex.split(line) for line in OTHERS.strip().splitlines())


LINES = list(bad_lines())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files good and bad."""
    folder = tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    with sqlite3.connect(folder / "other_database" / "results.sqlite") as db:
        db.execute("CREATE TABLE photographs (name TEXT)")
    db.close()
    return folder


@pytest.fixture
def here(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return files


def names(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if "__pycache__" not in path.parts}


def refused(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = names(folder)
    capsys.readouterr()
    code = main(arguments)
    printed = capsys.readouterr()
    assert code == 2, printed
    assert printed.out == ""
    assert printed.err.startswith("mlaudit: ")
    assert printed.err.count("\n") == 1, printed.err
    assert "Traceback" not in printed.err
    assert len(printed.err) < 1000, printed.err
    assert names(folder) == before


def test_there_are_hundreds_of_bad_command_lines() -> None:
    assert len({tuple(line) for line in LINES}) == len(LINES) > 600


@pytest.mark.parametrize("command", [*COMMANDS, "others"])
@pytest.mark.slow
def test_a_bad_command_line_gets_one_sentence_and_leaves_nothing(
    command: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if command == "others":
        mine = [shlex.split(line) for line in OTHERS.strip().splitlines()]
    else:
        good, options = COMMANDS[command]
        mine = [[*shlex.split(good), f"--{option}={value}"] for option, values in options.items() for value in values]
    for arguments in mine:
        try:
            refused(arguments, here, capsys)
        except AssertionError as error:
            raise AssertionError(f"mlaudit {shlex.join(arguments)}: {error}") from error


RAISING = {
    "run laplace --rows 1 --procedure mine.py:OddProcedure": "Odd: cannot proceed",
    "run laplace --rows 1 --classifier mine.py:OddClassifier": "Odd: cannot learn",
    "run laplace --rows 1 --procedure two_phase --interval mine.py:LeavingInterval": "SystemExit: 7",
    "run laplace --data fine.csv --attack mine.py:odd": "Odd: very odd",
    "run laplace --data mine.py:odd": "Odd: very odd",
    "run laplace --pair mine.py:odd": "Odd: very odd",
    "run laplace --pair mine.py:leaves": "SystemExit: 0",
    "run mine.py:factory --epsilon 1": "Odd: no mechanism",
    "run odd.py:anything --epsilon 1": "Odd: not today",
}


@pytest.mark.parametrize("line", RAISING)
def test_whatever_a_users_part_raises_is_one_sentence(
    line: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "path", list(sys.path))
    # Trainings that were drawn before it raised are kept: in a folder of its own.
    assert main([*shlex.split(line), "--trainings", "100", "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("mlaudit: ")
    assert printed.err.count("\n") == 1
    assert RAISING[line] in printed.err
    assert printed.out == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_bytes(FILES["fine.csv"])
    secret.chmod(0)
    refused(["run", "laplace", "--data", str(secret)], here, capsys)


def words() -> list[str]:
    choices: Any = next(action.choices for action in build_parser()._actions if action.choices)
    options = {option for command in choices.values() for option in command._option_string_actions}
    return sorted({*choices, *options, *FILES, "laplace", "mine.py:count", "iris", "1"} - {"-h", "--help"})


@given(st.lists(st.sampled_from(words()) | st.text(max_size=6), max_size=5))
@example(["run", "\udcff.py:f", "--epsilon", "1"])
@example(["report", "a\0b"])
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.slow
def test_a_line_with_an_unknown_option_is_never_run(
    files: Path, capsys: pytest.CaptureFixture[str], line: list[str]
) -> None:
    before, folder = names(files), Path.cwd()
    capsys.readouterr()
    os.chdir(files)
    try:
        assert main([*line, "--no-such-option"]) == 2
    finally:
        os.chdir(folder)
    printed = capsys.readouterr()
    assert printed.err.startswith("mlaudit: ")
    assert printed.err.count("\n") == 1
    assert names(files) == before
