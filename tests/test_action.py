"""The GitHub action, its steps run here in order; the pre-commit hooks; the workflow of this repository."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from composite import Composite

import mlaudit
from mlaudit.cli import main

ROOT = Path(__file__).parents[1]
SOURCE = Path(mlaudit.__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "action.yml").exists(), reason="a checkout without the action")

COUNTS = '''
"""A count with too little noise."""


def noisy_count(data, rng):
    with open("calls", "a") as calls:
        calls.write("x")
    return data.X.sum() + rng.laplace(scale=0.05)
'''
LEARNER = "counts.py:noisy_count --epsilon 1 --bounds 0,1 --backend in_process"
KNOWN = {"name", "id", "if", "shell", "env", "run", "uses", "with", "working-directory"}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "counts.py").write_text(COUNTS, encoding="utf-8")
    return tmp_path


def make(project: Path, **inputs: str) -> Composite:
    """The action in a project, with what is installed here, and with a home folder of its own."""
    given = {"install": "false", "python": sys.executable, **{k.replace("_", "-"): v for k, v in inputs.items()}}
    variables = {"HOME": str(project / "home"), "XDG_STATE_HOME": "", "PYTHONPATH": str(SOURCE)}
    return Composite(ROOT, project, given, variables)


def test_the_action_has_the_shape_that_github_reads() -> None:
    action = read("action.yml")
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(action)
    assert set(action) <= {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
    for one in action["inputs"].values():
        assert set(one) == {"description", "default"}
        assert isinstance(one["default"], str), "true without quotes would not be 'true'"
    assert action["runs"]["using"] == "composite"
    names = [step["name"] for step in action["runs"]["steps"]]
    assert len(names) == len(set(names))
    for step in action["runs"]["steps"]:
        assert set(step) <= KNOWN
        assert ("run" in step) != ("uses" in step)
        assert "shell" in step or "uses" in step
        # An input must reach a script as a variable: in the text of the script it would be code.
        assert "${{" not in step.get("run", "")
        assert "@" in step.get("uses", "@"), "a version"


@pytest.mark.slow
def test_a_violation_and_the_draws_of_the_next_run(project: Path) -> None:
    """Fails, points at the line that a trace names, and leaves a folder that spares the next run its trainings."""
    first = make(project, learners=f"# a comment\n\n{LEARNER}\n")
    # Fails for a correct program with probability < 1e-9: the noise is twenty times too small.
    assert first.run() == 3, first.log
    assert first.output("exit-code") == "3"
    log = json.loads(Path(first.output("sarif")).read_text(encoding="utf-8"))
    (found,) = log["runs"][0]["results"]
    place = found["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("counts.py", 8)
    assert json.loads(Path(first.output("badge")).read_text(encoding="utf-8"))["color"] == "red"
    assert first.summary.startswith("## Privacy claims: 1 claim tested, 1 violated")
    assert set(first.used) == {"Restore draws", "Save draws"}
    cached = first.used["Save draws"]["path"].split()
    assert cached == ["./mlaudit-runs", "~/.local/state/mlaudit/key"]
    assert (project / "home" / cached[1].removeprefix("~/")).exists(), "the key is where the cache looks for it"

    drawn = (project / "calls").stat().st_size
    (project / "calls").write_text("")
    # A folder of a learner that is gone, as an old cache holds it.
    (project / "mlaudit-runs" / "gone").mkdir()
    (project / "mlaudit-runs" / "gone" / "result.json").write_text("{}")
    (project / "mlaudit-runs" / "gone" / "draws.sqlite").write_text("")
    second = make(project, learners=LEARNER)
    assert second.run() == 3, second.log
    assert (project / "calls").stat().st_size < drawn / 4
    assert not (project / "mlaudit-runs" / "gone").exists()


@pytest.mark.slow
def test_bad_input_ends_with_2_and_a_secret_key_stays_out_of_the_cache(project: Path) -> None:
    action = make(project, learners="counts.py:nothing --epsilon 1", key="s3cret" * 8)
    assert action.run() == 2, action.log
    assert "No claim was tested to the end." in action.summary
    assert action.output("sarif") == ""
    assert action.used["Save draws"]["path"].split() == ["./mlaudit-runs"]
    assert (project / ".runner" / "mlaudit-key").stat().st_mode & 0o077 == 0
    assert "s3cret" not in action.log


def test_nothing_to_do_is_bad_input(project: Path) -> None:
    action = make(project, cache="false")
    assert action.run() == 2, action.log
    assert action.used == {}
    assert "give learners or pytest, got neither" in action.log


@pytest.mark.parametrize(
    ("codes", "worst"),
    [("0 0", 0), ("0 3", 3), ("6 3", 3), ("3 6", 3), ("6 0", 6), ("3 2", 2), ("2 3", 2), ("6 4 3", 4), ("1 3", 1)],
)
def test_the_gravest_exit_code_is_given(codes: str, worst: int) -> None:
    """What kept a test from ending comes first, then violations, then inconclusive tests."""
    (script,) = [step["run"] for step in read("action.yml")["runs"]["steps"] if step.get("id") == "test"]
    start, end = script.index("worst=0"), script.index("options=(")
    called = "\n".join(f"remember {code}" for code in codes.split())
    program = f'{script[start:end]}\n{called}\necho "$worst"'
    assert subprocess.run(
        ["bash", "-eo", "pipefail", "-c", program], capture_output=True, text=True, check=True
    ).stdout == (f"{worst}\n")


@pytest.mark.slow
def test_the_hooks_of_pre_commit(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry of each hook, with arguments as a user gives them."""
    monkeypatch.chdir(project)
    hooks = {hook["id"]: hook for hook in read(".pre-commit-hooks.yaml")}
    needed = {"id", "name", "description", "entry", "language", "pass_filenames", "types", "require_serial"}
    assert all(set(hook) == needed and hook["pass_filenames"] is False for hook in hooks.values())
    for name, words, code in (("mlaudit-test", LEARNER, 3), ("mlaudit-check", "counts.py:noisy_count", 0)):
        program, *entry = shlex.split(hooks[name]["entry"])
        assert program == "mlaudit"
        assert main([*entry, *shlex.split(words)]) == code


def test_the_workflows_run_what_exists() -> None:
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    workflow = read(".github/workflows/ci.yml")
    assert workflow["jobs"]["quick"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            words = step.get("run", "").split()
            if words[:1] == ["make"]:
                assert f"\n{words[1]}:" in targets
            elif words[:1] == [".ci/run"]:
                assert (ROOT / ".ci" / "run").exists()
    sample = ROOT / "examples" / "ci_project"
    (used,) = [step for step in workflow["jobs"]["action"]["steps"] if step.get("uses") == "./"]
    assert set(used["with"]) <= set(read("action.yml")["inputs"])
    assert (ROOT / used["with"]["working-directory"]) == sample
    theirs = yaml.safe_load((sample / ".github" / "workflows" / "privacy.yml").read_text(encoding="utf-8"))
    (step,) = [one for one in theirs["jobs"]["privacy"]["steps"] if "mlaudit@" in one.get("uses", "")]
    assert step["uses"].endswith(f"@v{mlaudit.__version__}")
    assert set(step["with"]) <= set(read("action.yml")["inputs"])
