"""The README as a stranger reads it: every command runs, and says what is printed there."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from mlaudit.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = [block for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL) if block.startswith("$ ")]
PYTHON = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", README, re.DOTALL)  # code, and what it prints


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a block with the output that is shown below it."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2].strip()) for part in parts]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("block", CONSOLE, ids=lambda block: block.splitlines()[0][:60])
def test_commands_run_as_shown(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, shown in commands(block):
        program, *arguments = shlex.split(command)
        assert program == "mlaudit"
        assert main(arguments) == 0
        printed = capsys.readouterr().out
        assert all(line in printed for line in shown.splitlines()), printed


@pytest.mark.slow
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize(("code", "shown"), PYTHON)
def test_python_runs_as_shown(code: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert all(line in printed for line in (shown or "VIOLATED").splitlines()), printed


def test_the_readme_has_something_to_run() -> None:
    assert len(CONSOLE) >= 4
    assert len(PYTHON) >= 3
    assert sum(bool(shown) for _, shown in PYTHON) >= 2
