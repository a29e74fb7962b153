"""A usage error is told before anything heavy is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from mlaudit.auditing.spec import AuditSpec
from mlaudit.cli.parser import build_parser, read_typed
from mlaudit.cli.specs import ZooSpec

# What takes time to import. Counting modules says the same on a busy machine; measuring time does not.
HEAVY = {"numpy", "scipy", "sklearn", "joblib", "tqdm", "numba", "torch", "matplotlib", "distributed", "ray"}
PROGRAM = """
import sys
from mlaudit.cli import main
code = main(sys.argv[1:])
print(code, *sorted(sys.modules))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("run nosuch", "no mechanism is called 'nosuch'"),
        ("--nosuch", "the following arguments are required: command; see mlaudit --help"),
        ("run laplace --nosuch", "run has no option --nosuch; see mlaudit run --help"),
        (
            "run laplace --label plan",
            "run has no option --label; did you mean --target or --columns? see mlaudit run --help",
        ),
        ("run laplace iris", "run takes no further argument, got 'iris'; see mlaudit run --help"),
        ("run laplace --epsilon x", "argument --epsilon: invalid float value: 'x'"),
        ("run nosuch.py:learner", "nosuch.py must be a Python file, got no such file; check the path"),
        ("run laplace --attack tight,nosuch", "no attack is called 'nosuch'"),
        ("run laplace --procedure nosuch", "no procedure is called 'nosuch'"),
        ("run laplace --classifier nosuch", "no classifier is called 'nosuch'"),
        ("run laplace --interval nosuch", "no interval is called 'nosuch'"),
        ("run laplace --data nosuch", "no dataset is called 'nosuch'"),
        ("run laplace --relation nosuch", "no relation is called 'nosuch'"),
        ("run laplace --backend nosuch", "no engine is called 'nosuch'"),
        ("relations nosuch", "no mechanism is called 'nosuch'"),
        ("scan nosuch", "no mechanism is called 'nosuch'"),
        ("one-run nosuch", "no trainer is called 'nosuch'"),
        ("zoo --only nosuch", "no exhibit is called 'nosuch'"),
        ("list nosuch", "no kind of thing is called 'nosuch'"),
        ("report nosuch", "nosuch must be the folder of a sweep"),
    ],
)
def test_nothing_heavy_is_imported(typed: str, sentence: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, *typed.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    code, *modules = done.stdout.split()
    assert code == "2"
    assert done.stderr.startswith(f"mlaudit: {sentence}")
    assert done.stderr.count("\n") == 1
    assert not HEAVY & {name.partition(".")[0] for name in modules}
    assert len(modules) < 250  # a bare interpreter has about 30, argparse and importlib.metadata bring the others


def test_what_is_not_certainly_wrong_is_left_to_the_command(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("", encoding="utf-8")
    for typed in (
        f"run {mine}:learner --data {tmp_path}/rows.csv --attack auto --interval some.package:Interval",
        "run laplace --data worst --attack search, --procedure two_phase",
        "zoo",
    ):
        given = build_parser().parse_args(typed.split())
        assert read_typed(ZooSpec if typed == "zoo" else AuditSpec, given)
