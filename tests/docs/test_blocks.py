"""README and manual as a stranger reads them: every block of code runs, and prints what is shown."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from doc_blocks import Block, find_missing_line, read_blocks, read_commands

from mlaudit.cli import main

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): read_blocks(path.read_text(encoding="utf-8"))
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if path.name != "commands.md"  # made from the parser
}
RUN = ("python", "console")
# Pages whose scripts have a test of their own, because they must import nothing but the library at fault.
ELSEWHERE = {
    "docs/findings.md": "tests/scanning/test_by_hand.py",
    "docs/dp_sgd.md": "tests/dp_sgd/test_opacus_findings.py",
}
MOST_NOT_RUN = 25  # blocks, of all pages together


def runs(page: str, block: Block) -> bool:
    """Whether something is done with a block: it is run, or written to a file."""
    if block.mark in ("not run", "file"):
        return block.mark == "file"
    return block.language in RUN and not (page in ELSEWHERE and block.language == "python")


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("page", [page for page, blocks in PAGES.items() if any(runs(page, one) for one in blocks)])
def test_every_block_runs_as_shown(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The blocks of a page share one folder and one namespace, from the top to the bottom."""
    names: dict[str, Any] = {"__name__": "__page__"}
    for block in PAGES[page]:
        if not runs(page, block):
            continue
        where = f"{page}:{block.line}"
        if block.mark == "file":
            Path(block.value).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(compile("\n" * block.line + block.text, page, "exec"), names)
            compare(block.output, capsys.readouterr().out, where)
        else:
            for command, shown in read_commands(block.text):
                run_command(command, shown, int(block.value or 0), where, capsys)


def run_command(command: str, shown: str, code: int, where: str, capsys: pytest.CaptureFixture[str]) -> None:
    """mlaudit in this process; pytest and python in their own."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "mlaudit":
        ended = main(arguments)
        out, err = capsys.readouterr()
    else:
        # hypothesis, which no page uses, takes a second to load
        alone = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
        own = {"pytest": ["-m", "pytest", *alone], "python": []}[program]
        done = subprocess.run([sys.executable, *own, *arguments], capture_output=True, text=True, check=False)
        ended, out, err = done.returncode, done.stdout, done.stderr
    assert ended == code, f"{where}: {command}\n{out}{err}"
    compare(shown, out, where)


def compare(shown: str, printed: str, where: str) -> None:
    missing = find_missing_line(shown, printed)
    assert missing is None, f"{where} shows {missing!r}, printed was:\n{printed}"


def test_commands_are_in_blocks_that_run() -> None:
    """A block of another language holds no command, so that none escapes the test above."""
    for page, blocks in PAGES.items():
        for block in blocks:
            assert block.language not in ("", "bash", "sh", "shell", "py", "pycon"), f"{page}:{block.line}"
            assert block.language in RUN or "$ mlaudit" not in block.text, f"{page}:{block.line}"
            assert block.language != "console" or block.text.startswith("$ "), f"{page}:{block.line}"


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    left = [block for blocks in PAGES.values() for block in blocks if block.mark == "not run"]
    assert len(left) <= MOST_NOT_RUN
    assert all(len(block.value) > 10 for block in left)


def test_the_readme_has_something_to_run() -> None:
    run = [block for block in PAGES["README.md"] if runs("README.md", block)]
    assert {block.language for block in run} == set(RUN)
    assert sum(bool(block.output) for block in run) >= 1
    assert sum(runs(page, block) for page, blocks in PAGES.items() for block in blocks) >= 40


def test_a_wrong_output_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="shows 'mechanism', printed was"):
        run_command("mlaudit list attacks", "mechanism", 0, "page:1", capsys)
