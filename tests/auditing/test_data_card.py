"""What was done to a table is told by every result: in the console, in JSON, in files and in reports."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from mlaudit import AuditResult, Box, Claim, Dataset, audit, scan
from mlaudit.auditing.options import option, options_of
from mlaudit.auditing.spec import AuditSpec
from mlaudit.auditing.spell import identify
from mlaudit.cli import main
from mlaudit.datasets import Preparation, load
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import describe
from mlaudit.report.data_card import card_markdown, card_section
from mlaudit.results.card_text import card_lines
from mlaudit.types.edits import relabel_rows
from mlaudit.types.traits import Traits

ROWS = 90


def write(path: Path, **columns: Any) -> Path:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def office(tmp_path: Path) -> Path:
    rng = default_rng(0)
    return write(
        tmp_path / "office.csv",
        user_id=[f"U{i}" for i in range(ROWS)],
        day=["2024-05-17"] * ROWS,
        age=["" if i == 3 else 20 + 3 * i % 50 for i in range(ROWS)],
        active=["yes" if i % 2 else "no" for i in range(ROWS)],
        region=[("north", "south", "east")[i % 3] for i in range(ROWS)],
        income=rng.normal(40, 9, ROWS).round(3),
        plan=[("basic", "pro", "team")[i % 3] for i in range(ROWS)],
    )


def noisy_total(data: Dataset, rng: np.random.Generator) -> float:
    return float(data.X.sum() + rng.laplace(scale=data.X.shape[1]))


@pytest.mark.slow
def test_a_result_tells_what_was_done_to_the_table(office: Path) -> None:
    result = audit(noisy_total, load(office), claim=Claim(1.0), rows=1, trainings=100, attack="far_corner")
    text = str(result)
    assert (
        "office.csv: 89 of 90 rows, 4 of 6 columns, label 'plan' in 3 classes (basic: 29, pro: 30, team: 30)" in text
    )
    assert "left out    rows: 1 with a missing value; columns: user_id (identifier), day (date)" in text
    assert "encoded     2 numbers; active as 0 or 1; region one-hot (3 numbers); scaled to [0, 1]" in text
    card = result.summary()["data_card"]
    assert card["columns"][0] == {"name": "user_id", "dropped": "identifier"}
    assert json.loads(json.dumps(card)) == card
    again = AuditResult.from_json(result.to_json())
    assert again.provenance.card == result.provenance.card
    assert result.to_json().count('"rows_read"') == 2  # in the summary, and once among the values


def test_rows_that_came_as_numbers_have_no_card() -> None:
    data = Dataset([0.0, 0.5, 1.0], domain=Box(0.0, 1.0))
    result = audit(noisy_total, data, claim=Claim(1.0), rows=1, trainings=100, attack="far_corner")
    assert result.summary()["data_card"] is None
    assert "left out" not in str(result)
    assert (card_lines(None), card_section(None), card_markdown(None)) == ([], None, [])


def test_a_file_without_a_card_is_read(office: Path) -> None:
    result = audit(noisy_total, load(office), claim=Claim(1.0), rows=1, trainings=100, attack="far_corner")
    whole = json.loads(result.to_json())
    del whole["replay"]["provenance"]["card"]
    assert AuditResult.from_json(json.dumps(whole)).provenance.card is None


def test_a_scan_tells_it_too(office: Path) -> None:
    result = scan(noisy_total, load(office), claim=Claim(1.0), pilot=10, trainings=100)
    assert "office.csv: 89 of 90 rows" in str(result)
    assert result.summary()["data_card"]["rows_read"] == ROWS
    assert type(result).from_json(result.to_json()).card == result.card


def test_a_report_has_every_column(office: Path) -> None:
    card = load(office).card
    section, page = str(card_section(card)), "\n".join(card_markdown(card))
    for said in ("user", "identifier", "one-hot: east, north, south", "rows with a missing value are dropped"):
        assert said in section
        assert said in page


def test_what_a_column_is_called_cannot_become_markup(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", **{"<script>": [3, 1, 7, 1], "y": ["a", "b", "a", "b"]})
    assert "<script>" not in str(card_section(load(path).card))


@pytest.mark.slow
def test_options_of_the_command_line_reach_the_table(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learner = f"{__file__}:noisy_total"
    typed = ["run", learner, "--epsilon", "1", "--data", str(office), "--trainings", "100", "--rows", "1", "--json"]
    more = ["--columns", "age,region", "--missing", "0", "--classes", "basic,team", "--quiet"]
    out = ["--attack", "far_corner", "--out", str(office.parent / "run")]
    assert main([*typed, *more, *out]) == 0
    card = json.loads(capsys.readouterr().out)["data_card"]
    assert [column["name"] for column in card["columns"] if "encoding" in column] == ["age", "region"]
    assert (card["missing"], card["classes_dropped"], card["rows"]) == ("0", {"pro": 30}, 60)
    command = json.loads((office.parent / "run" / "result.json").read_text(encoding="utf-8"))["command"]
    assert "--columns age,region --missing 0" in command


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--columns", "agee"], "no column of office.csv is called 'agee'; did you mean 'age'?"),
        (["--missing", "mean"], "missing must be 'drop' or a number, as in 0, got 'mean'"),
        (["--data", "worst", "--drop", "age"], "--data worst is crafted, not read, got --drop; leave that out"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    office: Path, more: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["run", f"{__file__}:noisy_total", "--epsilon", "1", "--data", str(office), "--quiet"]
    assert main([*typed, *more]) == 2
    assert sentence in capsys.readouterr().err


@dataclass(frozen=True)
class WithLater(AuditSpec):
    """The spec with an option that came later."""

    patience: int | None = option(None, "how long to wait", "P", later=True)


def test_an_option_that_came_later_leaves_the_identity_of_older_runs_alone() -> None:
    """Folders are found again by it; and seeds are derived from descriptions."""
    assert identify(WithLater("laplace")) == identify(AuditSpec("laplace"))
    assert identify(WithLater("laplace", patience=1)) != identify(AuditSpec("laplace"))
    assert all(known.later for one, known in options_of(AuditSpec) if one.name in ("columns", "drop", "missing"))
    assert describe(Box(0.0, 1.0)) == {"type": "Box", "low": [0.0], "high": [1.0], "labels": None}


class OfTwo:
    """A learner that knows two classes only."""

    claim = Claim(1.0)
    traits = Traits(targets="two classes")

    def domain(self, data: Dataset) -> None:
        assert np.unique(np.asarray(data.y)).tolist() == [0, 1]

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        return default_rng(seed).laplace()

    def summary(self, model: Any, target: Any) -> Any:
        return np.array([model])


def test_a_learner_gets_the_labels_that_it_takes(office: Path) -> None:
    result = audit(OfTwo(), str(office), rows=1, trainings=100, attack="far_corner")
    card = result.provenance.card
    assert card is not None
    assert ([name for name, _ in card.classes], card.classes_dropped) == (["pro", "team"], (("basic", 29),))


@pytest.mark.parametrize("learner", ["naive_bayes", "logistic_objective", "decision_tree"])
@pytest.mark.slow
def test_a_learner_of_the_library_takes_three_classes(office: Path, learner: str) -> None:
    pytest.importorskip("diffprivlib")
    result = audit(learner, str(office), rows=1, trainings=100)
    assert result.provenance.sampler == "library"
    assert np.unique(np.asarray(result.pair.base.y)).tolist() == [0, 1, 2]
    faster = "no faster sampler applies: it supports two classes only, and D has more"
    assert (faster in str(result)) is (learner != "decision_tree")


@pytest.mark.slow
def test_a_regression_predicts_numbers_inside_their_range(office: Path) -> None:
    pytest.importorskip("diffprivlib")
    data = load(office, target="income", preparation=Preparation(targets="numbers", columns=("age", "active")))
    result = audit("linear_regression", data, rows=1, trainings=150)
    assert isinstance(result.pair.base.domain, Box)
    assert result.pair.base.domain.label_range == (0.0, 1.0)
    assert ((np.asarray(result.pair.neighbour.y) >= 0) & (np.asarray(result.pair.neighbour.y) <= 1)).all()
    assert "label 'income', numbers from " in str(result)
    with pytest.raises(InvalidInput, match=r"labels must lie in \[0.0, 1.0\], got 2.0; clip the labels"):
        relabel_rows(result.pair.base, 0, 2.0)
