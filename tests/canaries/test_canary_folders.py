"""one-run and white-box on the command line: a folder, a report, a replay; nothing that a file names is run."""

import csv
import json
import shlex
from pathlib import Path

import pytest

from mlaudit.cli import main

TRAINERS = Path(__file__).parents[2] / "examples" / "my_trainer.py"
ONE_RUN = "one-run logistic_sgd --epsilon 4 --canaries 60 --param steps=5 --quiet"
WHITE_BOX = "white-box logistic_sgd --epsilon 4 --trainings 10 --param noise=0.3 --data iris --quiet"
EVIL = """
from pathlib import Path
Path("ran").write_text("")
class Trainer:
    pass
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str, *more: str) -> int:
    return main([*shlex.split(command), *more])


def whole(path: str) -> dict[str, object]:
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.slow
def test_the_command_in_a_folder_repeats_it_and_another_audit_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(ONE_RUN, "--out", "out") == 0
    assert "files       out: result.json" in capsys.readouterr().out
    assert sorted(path.name for path in (here / "out").iterdir()) == ["audit.json", "result.json"]
    before = (here / "out" / "result.json").read_bytes()
    assert run(str(whole("out/result.json")["command"]).removeprefix("mlaudit "), "--out", "out") == 0
    assert (here / "out" / "result.json").read_bytes() == before
    assert run(ONE_RUN, "--out", "out", "--seed", "3") == 2
    assert "out holds the result of another audit (logistic_sgd, seed 0)" in capsys.readouterr().err
    assert run(ONE_RUN.replace("--canaries 60", "--canaries 3"), "--out", "a/b") == 2
    assert not (here / "a").exists(), "a refused audit leaves nothing behind"


@pytest.mark.slow
def test_without_out_the_folder_is_named_after_the_audit(here: Path) -> None:
    assert run(ONE_RUN) == run(ONE_RUN) == 0
    (folder,) = (here / "mlaudit-runs").iterdir()
    assert folder.name.startswith("one-run-logistic_sgd-")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "verdict"),
    [(ONE_RUN, "inconclusive"), pytest.param(WHITE_BOX, "violated", marks=pytest.mark.extra("dpsgd"))],
)
def test_a_report_and_a_replay(command: str, verdict: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Fails for a correct program with probability < 1e-6: 86 ± 1.5 % of 950 guesses are right, and 74 % are enough.
    assert run(command, "--out", "out") == 0
    assert whole("out/result.json")["verdict"] == verdict
    assert main(["report", "out"]) == 0
    page, text = ((here / "out" / name).read_text(encoding="utf-8") for name in ("report.html", "report.md"))
    for said in ("Question", "Correct guesses", "mlaudit replay out/result.json", "Glossary", "What was tried."):
        assert said in page
        assert said in text
    with (here / "out" / "report.csv").open(encoding="utf-8") as file:
        assert [line["verdict"] for line in csv.DictReader(file)] == [verdict]
    capsys.readouterr()
    assert main(["replay", "out", "--json", "--quiet"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["seed"] == 1
    assert again["verdict"] == verdict
    assert str(whole("out/replay-1/result.json")["command"]).count("--seed 1") == 1
    assert main(["replay", "out/result.json", "--seed", "0"]) == 2
    assert "a replay needs fresh trainings" in capsys.readouterr().err


@pytest.mark.slow
def test_a_trainer_of_ones_own_is_named_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"one-run {TRAINERS}:NoisyAttendance --epsilon 2 --canaries 200 --quiet --out out") == 0
    assert main(["replay", "out/result.json", "--quiet"]) == 2
    assert "--mechanism my_file.py:Trainer" in capsys.readouterr().err
    assert main(["replay", "out/result.json", "--quiet", "--mechanism", f"{TRAINERS}:NoisyAttendance"]) == 0
    other = ["--mechanism", f"{TRAINERS}:NoisyAttendance", "--param", "epsilon=3"]
    assert main(["replay", "out/result.json", "--quiet", "--seed", "7", *other]) == 2
    assert "must be the result's trainer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("mlaudit one-run evil.py:Trainer", "a replay runs only what mlaudit ships"),
        ("mlaudit one-run logistic_sgd --data evil.py:Trainer", "must be a name of `mlaudit list datasets`"),
        ("mlaudit run evil.py:Trainer", "must hold the mlaudit one-run command that made it"),
        ("mlaudit one-run logistic_sgd; rm -rf x", "must hold the mlaudit one-run command that made it"),
        ("", "must hold the mlaudit one-run command that made it"),
        ("mlaudit one-run logistic_sgd --epsilon 3", "must be the result's trainer"),
    ],
)
def test_nothing_that_a_result_names_is_run(
    command: str, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "evil.py").write_text(EVIL, encoding="utf-8")
    assert run(ONE_RUN, "--out", "out") == 0
    changed = whole("out/result.json") | {"command": command}
    Path("out/result.json").write_text(json.dumps(changed), encoding="utf-8")
    assert main(["replay", "out/result.json", "--quiet"]) == 2
    assert said in capsys.readouterr().err
    assert main(["report", "out", "--format", "csv"]) == 0
    assert not (here / "ran").exists()


@pytest.mark.parametrize("option", ["--trainings=5", "--interval=exact", "--isolate"])
def test_options_of_other_audits_are_refused(option: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(ONE_RUN, "--out", "out") == 0
    assert main(["replay", "out/result.json", option]) == 2
    assert "leave" in capsys.readouterr().err
