"""The one-page report of a run."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from mlaudit import AuditResult
from mlaudit.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


pytestmark = pytest.mark.slow  # matplotlib and a report of a run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one") / "run"
    typed = [
        "run",
        f"{EXAMPLES / 'my_mechanism.py'}:noisy_count",
        "--epsilon",
        "1",
        "--trainings",
        "5000",
        "--seed",
        "3",
    ]
    pair = ["--pair", f"{EXAMPLES / 'my_mechanism.py'}:one_more_smoker"]
    # Fails for a correct program with probability < 1e-6: bounds of 1.75 ± 0.16 with 1500 trainings already.
    assert main([*typed, *pair, "--quiet", "--jobs", "1", "--out", str(folder)]) == 0
    assert main(["report", str(folder)]) == 0
    return folder


def test_the_run_keeps_its_command_and_its_scores(run: Path) -> None:
    whole = json.loads((run / "result.json").read_text(encoding="utf-8"))
    file = EXAMPLES / "my_mechanism.py"
    words = shlex.split(whole["command"])
    assert words[:3] == ["mlaudit", "run", f"{file}:noisy_count"]
    asked = {"--epsilon": "1", "--pair": f"{file}:one_more_smoker", "--trainings": "5000", "--seed": "3"}
    assert dict(zip(words[3::2], words[4::2], strict=True)) == asked, "what changes no number is left out"
    finding = AuditResult.from_json((run / "result.json").read_text(encoding="utf-8")).finding
    assert finding.scores is not None
    assert finding.scores.counted == finding.evidence.counted  # type: ignore[union-attr]


def test_the_command_repeats_the_result(run: Path, tmp_path: Path) -> None:
    _, *typed = shlex.split(json.loads((run / "result.json").read_text(encoding="utf-8"))["command"])
    assert main([*typed, "--out", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "result.json").read_bytes() == (run / "result.json").read_bytes()


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_the_page_says_all_there_is(run: Path, name: str) -> None:
    text = (run / name).read_text(encoding="utf-8")
    plain = re.sub("<[^>]*>", "", text).replace("\u00a0", " ").replace("\\", "")
    for said in (
        "noisy_count on ",
        "Violated: noisy_count, claim ε = 1",
        "The guesses were correct more often than the claim allows: ",
        "The protection is weaker than claimed",
        "Claimed",
        "Scores on D and on D′",
        "every fraction",
        "How it was computed",
        "mlaudit run ",
        "Glossary",
    ):
        assert said in plain
    assert f"mlaudit replay {run / 'result.json'} --mechanism " in text


def test_the_csv_has_the_sweeps_columns(run: Path) -> None:
    with (run / "report.csv").open(encoding="utf-8") as file:
        [line] = csv.DictReader(file)
    assert line["verdict"] == "violated"
    assert 0 < float(line["p_value"]) <= 0.05


@pytest.mark.parametrize("procedure", ["two_phase", "gdp_accuracy"])
def test_other_procedures_have_a_page(procedure: str, tmp_path: Path) -> None:
    typed = ["run", "gaussian", "--epsilon", "1", "--delta", "1e-5", "--rows", "1", "--trainings", "600"]
    assert main([*typed, "--procedure", procedure, "--out", str(tmp_path / "run")]) == 0
    assert main(["report", str(tmp_path / "run")]) == 0
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Scores on D and on D′" in text
    assert ("Outputs in S" in text) == (procedure == "two_phase")


def test_a_result_of_an_earlier_version_is_read(run: Path, tmp_path: Path) -> None:
    whole = json.loads((run / "result.json").read_text(encoding="utf-8"))
    del whole["command"], whole["replay"]["finding"]["scores"]
    (tmp_path / "result.json").write_text(json.dumps(whole), encoding="utf-8")
    assert AuditResult.from_json((tmp_path / "result.json").read_text(encoding="utf-8")).finding.scores is None
    assert main(["report", str(tmp_path), "--format", "html"]) == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "made before scores were kept" in text
    assert "--mechanism FILE:OBJECT" in text


def test_names_in_a_result_stay_text(run: Path, tmp_path: Path) -> None:
    text = (run / "result.json").read_text(encoding="utf-8").replace("noisy_count", "<script>alert(1)<!--")
    (tmp_path / "result.json").write_text(text, encoding="utf-8")
    assert main(["report", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "<script>" not in (tmp_path / "report.md").read_text(encoding="utf-8").replace("    mlaudit", "")[:2000]
