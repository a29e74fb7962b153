"""The one-page report of a test of a claim."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from numpy.random import Generator

from mlaudit import Claim, ClaimTest, Dataset, refute
from mlaudit.cli import main
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.refuting.result import Attempt, Skipped
from mlaudit.report.plain_test import explain_test

pytestmark = pytest.mark.slow  # matplotlib

COMMAND = "mlaudit test mine.py:exact_sum --epsilon 1"


def exact_sum(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum())


@pytest.fixture(scope="module")
def violated() -> ClaimTest:
    # Fails for a correct program with probability < 1e-6: the leak is total.
    data = Dataset([0.0, 1.0, 0.0, 1.0, 1.0], name="<b>five</b> rows")
    return refute(exact_sum, data, claim=Claim(1.0), effort="smoke", engine=InProcess())


@pytest.fixture(scope="module")
def folder(violated: ClaimTest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("test")
    (made / "result.json").write_text(violated.to_json({"command": COMMAND}), encoding="utf-8")
    assert main(["report", str(made)]) == 0
    return made


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_the_page_says_what_was_claimed_tried_and_found(folder: Path, name: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    for part in (
        "The claim.",
        "What was tried.",
        "What was found.",
        "For a person in the data.",
        "What is not proved.",
        "The protection is weaker than claimed",
        "Findings, the worst first",
        "Share of α",
        "Not run",
        "the claim was refuted before",
        "Glossary",
    ):
        assert part in text.replace("\\", "")
    assert "<b>five" not in text.replace("\\<b\\>five", "")


def test_each_finding_has_its_cause_and_the_command_that_counts_it_again(folder: Path, violated: ClaimTest) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    [found] = violated.findings
    assert found.cause.split(" in ")[0] in text
    assert f"mlaudit replay {folder / 'witness_1.json'} --mechanism mine.py:exact_sum" in text


def test_the_spreadsheet_has_a_line_for_each_detector(folder: Path, violated: ClaimTest) -> None:
    lines = list(csv.DictReader(io.StringIO((folder / "report.csv").read_text(encoding="utf-8"))))
    assert [line["verdict"] for line in lines] == [one.verdict for one in violated.attempts]
    assert float(lines[0]["detected"]) == pytest.approx(violated.epsilon_lower)
    assert lines[0]["notes"].startswith(violated.findings[0].place)


def attempt(verdict: str, epsilon: float, ceiling: float) -> Attempt:
    return Attempt("worst_data", 0.05, 400, verdict, epsilon, ceiling, 1.4, "search on <i>rows</i>")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (attempt("not_refuted", 0.4, 5.0), "A true ε of 1.4 or more would have been detected"),
        (attempt("not_refuted", 0.0, 5.0), "not correct often enough to show any leakage"),
        (attempt("not_repeated", 1.4, 5.0), "above the claim, but fresh trainings did not"),
        (attempt("inconclusive", 0.2, 0.7), "the largest ε it could show is 0.7"),
    ],
)
def test_each_verdict_has_its_page(violated: ClaimTest, one: Attempt, said: str, tmp_path: Path) -> None:
    result = replace(violated, attempts=(one,), findings=(), skipped=(Skipped("scan_object", "time was up"),))
    assert said in " ".join(text for _, text in explain_test(result))
    (tmp_path / "result.json").write_text(result.to_json(), encoding="utf-8")
    assert main(["report", str(tmp_path), "--format", "html"]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f'class="verdict {one.verdict}"' in page
    assert "<i>rows" not in page


def test_a_replay_of_the_whole_test_names_a_witness(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(folder / "result.json")]) == 2
    assert f"give a witness, as in {folder / 'witness_1.json'}" in capsys.readouterr().err
