"""One spec: every field is an option, a setting, part of every identity, and part of the command that repeats."""

import argparse
import ast
import json
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest

import mlaudit
from mlaudit.auditing.options import Option, default_of, flag, option, options_of, read_options, types_of
from mlaudit.auditing.spec import HOW, AuditSpec
from mlaudit.auditing.spell import identify, spell_command
from mlaudit.cli import main
from mlaudit.cli.commands import COMMANDS
from mlaudit.cli.parser import add_options, build_parser, read_typed
from mlaudit.cli.specs import EngineSpec, RelationsSpec
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import shipped
from mlaudit.sweep.config import parse_sweep
from mlaudit.sweep.jobs import read_jobs
from mlaudit.sweep.kinds.audit import AuditKind

LAPLACE = AuditSpec("laplace")
NAMES = [one.name for one in fields(AuditSpec) if one.default is not MISSING or one.default_factory is not MISSING]
WORDS = {str: "it's some text", int: 7, float: 0.25}


@dataclass(frozen=True)
class WithMore(AuditSpec):
    """The spec with two options more: nothing else is written for them."""

    patience: int = option(3, "how long to wait", "P", group=HOW)
    in_pairs: bool = flag("two at a time", group=HOW)


def example(one: "Field[Any]", known: Option, kind: Any) -> Any:
    """A value that is not the default, made from nothing but the field."""
    if known.plugin or known.words:
        names = [*(shipped(known.plugin) if known.plugin else ()), *known.words]
        other = next(name for name in names if name not in (default_of(one), *(default_of(one) or ())))
        return (other,) if get_origin(kind) is tuple else other
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        return tuple({str: ("no", "yes"), float: (-1.0, 2.5), int: (3, 5)}[inner[0]])
    if kind is bool:
        return True
    return {"C": 10, "solver": "lbfgs", "name": "10", "grid": [1, 2]} if get_origin(kind) is Mapping else WORDS[kind]


def varied(name: str, spec: AuditSpec = LAPLACE) -> AuditSpec:
    one, known = next((one, known) for one, known in options_of(spec) if one.name == name)
    return replace(spec, **{name: example(one, known, types_of(type(spec))[name])})


def as_toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {as_toml(inner)}" for name, inner in value.items()) + " }"
    return json.dumps(value)


@pytest.mark.parametrize("name", NAMES)
def test_a_command_line_gives_back_the_spec(name: str) -> None:
    spec = varied(name)
    assert spec != LAPLACE
    words = shlex.split(spell_command("run", spec))
    assert words[:3] == ["mlaudit", "run", "laplace"]
    assert len(words) > 3
    assert read_typed(AuditSpec, build_parser().parse_args(words[1:])) == spec


@pytest.mark.parametrize("name", NAMES)
def test_a_sweep_file_gives_back_the_spec(name: str) -> None:
    spec = varied(name)
    text = f'mechanism = "laplace"\n{name} = {as_toml(getattr(spec, name))}\n'
    assert read_options(AuditSpec, tomllib.loads(text)) == spec


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_part_of_the_identity(name: str) -> None:
    assert identify(varied(name)) != identify(LAPLACE)


def test_a_default_that_is_typed_changes_nothing() -> None:
    typed = read_typed(AuditSpec, build_parser().parse_args(["run", "laplace", "--rows", "1,2,4,8", "--seed", "0"]))
    assert typed == LAPLACE
    assert spell_command("run", typed) == "mlaudit run laplace"
    assert identify(typed) == identify(LAPLACE)


def test_another_command_may_have_other_defaults() -> None:
    typed = read_typed(RelationsSpec, build_parser().parse_args(["relations", "laplace", "--data", "iris"]))
    assert (typed.procedure, typed.rows) == ("sequential", (1,))
    assert spell_command("relations", typed) == "mlaudit relations laplace --data iris"
    assert spell_command("run", replace(LAPLACE, procedure="sequential")).endswith("--procedure sequential")


def test_every_field_is_used_when_an_audit_is_built() -> None:
    """A field that nobody reads would be an option without effect."""
    used = set()
    for module in ("build", "inputs", "learner"):
        path = Path(mlaudit.__file__).parent / "auditing" / f"{module}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "spec":
                used.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    assert {one.name for one in fields(AuditSpec)} <= used


def test_a_new_field_is_an_option() -> None:
    parser = argparse.ArgumentParser()
    add_options(parser, WithMore)
    given = parser.parse_args(["laplace", "--patience", "5", "--in-pairs"])
    assert read_typed(WithMore, given) == WithMore("laplace", patience=5, in_pairs=True)
    assert "--patience P" in parser.format_help()
    assert "how long to wait (default: 3)" in parser.format_help()


@pytest.mark.slow
def test_a_new_field_is_a_setting_and_part_of_the_key_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AuditKind, "spec", WithMore)

    def keys(more: str) -> list[str]:
        text = f'[grid]\nmechanism = "laplace"\n{more}\n'
        return [job.key for job in read_jobs([parse_sweep(text, "a", "a.toml")])]

    [usual] = keys("")
    assert keys("patience = [3, 4, 5]")[0] == usual
    assert len({usual, *keys("patience = [3, 4, 5]"), *keys("in_pairs = true")}) == 4
    with pytest.raises(InvalidInput, match="patience must be a whole number, got 'long'"):
        keys('patience = "long"')


@pytest.mark.slow
@pytest.mark.parametrize("default", [3, 4])
def test_a_changed_default_changes_the_key_of_a_row(default: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if no source had changed: a row is found by its settings with all defaults filled in."""

    @dataclass(frozen=True)
    class Other(AuditSpec):
        patience: int = option(default, "how long to wait", "P", group=HOW)

    def key(spec: type) -> str:
        monkeypatch.setattr(AuditKind, "spec", spec)
        return read_jobs([parse_sweep('[grid]\nmechanism = "laplace"\n', "a", "a.toml")])[0].key

    @dataclass(frozen=True)
    class Usual(AuditSpec):
        patience: int = option(3, "how long to wait", "P", group=HOW)

    assert (key(Other) == key(Usual)) is (default == 3)


@pytest.mark.slow
def test_a_new_field_is_part_of_a_run_and_of_the_command_that_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = replace(next(one for one in COMMANDS if one.name == "run"), specs=(WithMore, EngineSpec))
    monkeypatch.setattr("mlaudit.cli.parser.COMMANDS", (run,))
    monkeypatch.setattr("mlaudit.cli.build_parser", build_parser.__wrapped__)  # of other commands than the one kept
    call = ["run", "laplace", "--rows", "1", "--trainings", "100", "--quiet", "--json"]
    for more in ([], ["--patience", "3"], ["--patience", "5"], ["--in-pairs"]):
        assert main([*call, *more]) == 0
    folders = {Path(json.loads(line)["files"][0]).parent for line in capsys.readouterr().out.splitlines()}
    commands = [json.loads((folder / "result.json").read_text(encoding="utf-8"))["command"] for folder in folders]
    shared = "mlaudit run laplace --rows 1 --trainings 100"
    assert sorted(commands) == [shared, f"{shared} --in-pairs", f"{shared} --patience 5"]
    assert main([*call, "--patience", "5", "--out", "one"]) == 0
    assert main([*call, "--patience", "6", "--out", "one"]) == 2
    assert "one holds the result of another audit" in capsys.readouterr().err


BAD = {
    'epsilon = "big"': "epsilon must be a number, got 'big'",
    "epsilon = true": "epsilon must be a number, got True",
    "trainings = 1e3": "trainings must be a whole number, got 1000.0",
    'trainings = "many"': "trainings must be a whole number, got 'many'",
    "paper = 1": "paper must be true or false, got 1",
    'paper = "yes"': "paper must be true or false, got 'yes'",
    "data = 3": "data must be text, got 3",
    'rows = "1,x"': "rows must be whole numbers like 1,2,4,8, got '1,x'",
    "rows = true": "rows must be whole numbers like 1,2,4,8, got True",
    "rows = []": "rows must be whole numbers like 1,2,4,8, got []",
    'attack = ","': "attack must be at least one name, as in a,b, got ','",
    "classes = []": "classes must be labels, as in no,yes, got []",
    "columns = 3": "columns must be names of columns, as in age,income, got 3",
    "bounds = [0, 1, 2]": "bounds must be two numbers, as in 0,1, got [0, 1, 2]",
    "param = 3": "param must be a table, as in { C = 10 }, got 3",
    "param = { day = 2024-01-01 }": "param must be a table, as in { C = 10 }, got {'day': datetime.date(2024, 1, 1)}",
    "mechanism = {}": "mechanism must be text, got {}",
    'mechanism = "laplce"': "no mechanism is called 'laplce'; did you mean 'laplace'?",
    'attack = "auto,swapx"': "no attack is called 'swapx'; did you mean 'swap_x'?",
    'relation = "replace"': "no relation is called 'replace'; did you mean 'replace-one'?",
}


@pytest.mark.parametrize("line", BAD)
def test_a_value_of_another_type_is_one_sentence(line: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_options(AuditSpec, {"mechanism": "laplace"} | tomllib.loads(line))
    assert str(caught.value) == BAD[line]


def test_what_must_be_given_is_told() -> None:
    with pytest.raises(InvalidInput, match="mechanism must be given, got none"):
        read_options(AuditSpec, {})
