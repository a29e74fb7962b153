"""The examples in other languages, built and audited as the manual says; the files that `mlaudit helper` prints."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mlaudit import Box, Claim, Dataset, Pair, audit
from mlaudit.adapters.helpers import HELPERS, find_helper
from mlaudit.adapters.program import Program
from mlaudit.cli import main
from mlaudit.drawing.stream import TrainingStream
from mlaudit.types.arrays import FloatArray

EXAMPLES = Path(__file__).parents[2] / "examples" / "other_languages"
DATA = Dataset([[0.0], [0.5], [1.0], [1.0]], domain=Box(0, 1))
PAIR = Pair(Dataset([[0.0], [1.0]]), Dataset([[1.0], [1.0]]))
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")


def draw(program: Program, n: int) -> FloatArray:
    return TrainingStream(program, DATA, None, seed=1).draw(0, n).z[:, 0]


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    target = tmp_path / "laplace"
    source = EXAMPLES / "laplace.c"
    subprocess.run(
        ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", target, source, "-lm"], check=True
    )
    return target


@pytest.mark.slow
@needs_cc
def test_the_example_in_c_adds_laplace_noise_to_the_mean(compiled: Path) -> None:
    """The mean of 4000 draws with deviation √2/4 lies within 0.04 but for a probability of 1e-12 (7 deviations)."""
    z = draw(Program(str(compiled), Claim(1.0)), 4000)
    assert abs(z.mean() - 0.625) < 0.04
    assert len(np.unique(z)) == 4000


@needs_cc
@pytest.mark.slow
def test_the_example_in_c_is_not_refuted_and_with_a_smaller_claim_it_is(compiled: Path) -> None:
    """True ε is 1. The healthy audit is wrong with probability α = 1e-6; ε = 1 against 0.3 is all but certain."""
    assert not audit(Program(str(compiled), Claim(1.0)), pair=PAIR, trainings=1000, alpha=1e-6).violated
    noise = Program(str(compiled), Claim(1.0))
    assert audit(noise, pair=PAIR, claim=Claim(0.3), trainings=2000).violated


@needs_node
@pytest.mark.slow
def test_the_example_in_javascript_is_run_by_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of the noise gives ε = 2, which 2000 trainings refute but for a probability below 1e-9."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "laplace.js", tmp_path)
    words = ["cmd: node laplace.js", "--epsilon", "1", "--quiet", "--json"]
    assert main(["run", *words, "--data", "worst", "--rows", "1", "--trainings", "600"]) == 0
    healthy = json.loads(capsys.readouterr().out)
    assert healthy["mechanism"] == "laplace.js"
    assert main(["test", *words, "--param", "scale=0.5", "--out", "out"]) == 3
    witness = tmp_path / "out" / "witness_1.json"
    capsys.readouterr()
    replay = ["replay", str(witness), "--mechanism", "cmd: node laplace.js", "--param", "scale=0.5"]
    assert main([*replay, "--trainings", "1000", "--quiet", "--fail-on-violation"]) == 3
    assert main(["replay", str(witness), "--quiet"]) == 2, "a result never starts a program"
    assert "rebuilds only what mlaudit ships" in capsys.readouterr().err


@needs_node
def test_the_helper_for_javascript_serves_a_function(tmp_path: Path) -> None:
    shutil.copy(find_helper("javascript"), tmp_path)
    (tmp_path / "learner.js").write_text(
        'const { serve } = require("./mlaudit_serve.js");\n'
        "console.log('goes to standard error');\n"
        "serve((data, random, hello) => {\n"
        "  const u = random();\n"
        "  if (u < 0.1) throw new RangeError('too small');\n"
        "  return [data.X.length, u, u < 0.2 ? NaN : hello.epsilon, hello.params.k];\n"
        "}, { name: 'js', version: '7' });\n",
        encoding="utf-8",
    )
    program = Program(f"node {tmp_path / 'learner.js'}", Claim(0.5), {"k": 3})
    block = TrainingStream(program, DATA, None, seed=1).draw(0, 300)
    assert {"", "raised RangeError", "NaN at 2"} == set(block.kinds)
    usual = block.z[block.kinds == ""]
    assert np.array_equal(usual[:, [0, 2, 3]], np.tile([4.0, 0.5, 3.0], (len(usual), 1)))
    assert program.traits.version == "7"
    again = TrainingStream(program, DATA, None, seed=1).draw(0, 300)
    assert np.array_equal(again.z, block.z, equal_nan=True)


@pytest.mark.parametrize("language", HELPERS)
def test_helpers_are_printed_and_hold_nothing_else(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["helper", language]) == 0
    assert capsys.readouterr().out == find_helper(language).read_text(encoding="utf-8")


def test_an_unknown_helper_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["helper", "pyhton"]) == 2
    assert "no helper is called 'pyhton'; did you mean 'python'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "cmd:"], "must be followed by a program"),
        (["run", "cmd: no_such_program_anywhere x"], "must start with a program that can be run"),
        (["run", "cmd: python 'x"], "must have matching quotation marks"),
        (["run", "laplace", "--attack", "cmd: python x.py"], "only a mechanism can be a command"),
        (
            ["run", "cmd: {python} -c pass", "--epsilon", "1"],
            "must answer the hello, got none: it ended (exit code 0)",
        ),
        (["run", "cmd: {python} -c pass", "--delta", "0.1"], "must come with a whole claim"),
        (["trace", "cmd: {served}", "--epsilon", "1", "--data", "iris"], "a trace follows Python code"),
    ],
)
def test_bad_commands_are_one_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    served = f"{sys.executable} {find_helper('python')} random:random"
    typed = [word.format(python=sys.executable, served=served) for word in words]
    assert main(typed) == 2
    assert said in capsys.readouterr().err


def test_no_shell_is_involved(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    command = f"{sys.executable} {find_helper('python')} random:random ; touch {canary}"
    with pytest.raises(Exception, match=r"usage: python mlaudit_serve\.py"):
        Program(command, Claim(1.0))
    assert not canary.exists()


@pytest.mark.slow
def test_a_sweep_over_epsilon_tells_the_program_each_epsilon_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "def f(X, rng, epsilon):\n    return X[:, 0].sum() + rng.laplace() / epsilon\n"
    (tmp_path / "f.py").write_text(source, encoding="utf-8")
    shutil.copy(find_helper("python"), tmp_path)
    grid = f'[grid]\nmechanism = "cmd: {sys.executable} mlaudit_serve.py f.py:f"\nepsilon = [0.5, 2]\ndata = "iris"\n'
    grid += 'attack = "far_corner"\nrows = 1\ntrainings = 300\n'
    (tmp_path / "programs.toml").write_text(grid, encoding="utf-8")
    words = ["sweep", "programs.toml", "--out", "out", "--quiet", "--json"]
    assert main(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["violated"] == 0
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == first
    (tmp_path / "mlaudit_serve.py").write_text("raise SystemExit('changed')\n", encoding="utf-8")
    assert main(words) != 0, "the changed file is run again"
