"""The report of a sweep as files: what is in them, what is escaped, and that they are the same each time."""

import csv
import io
import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from generated import SCRIPT, SIGNS, STUDIES, rows, store

from mlaudit.cli import main
from mlaudit.report.cells import cell_of
from mlaudit.report.html import MOST_ROWS
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.row import Row, Study

pytestmark = pytest.mark.slow  # matplotlib and a report of every figure


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = store(tmp_path_factory.mktemp("paper"), replicates=1, data=2)
    assert main(["report", str(made)]) == 0
    return made


def write(folder: Path, found: list[Row], figure: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    results = SqliteResults(folder / "results.sqlite")
    results.describe(Study("s", "A study", figure=figure))
    for place, row in enumerate(found):
        results.put(str(place), place, replace(row, study="s"))
    results.close()
    return folder


def read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def test_every_format_is_written_with_every_figure(folder: Path) -> None:
    drawn = sum(bool(study.figure) for study in STUDIES)
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        files = sorted((folder / "figures").glob(f"*.{kind}"))
        assert len(files) == drawn
        assert all(file.read_bytes().startswith(start) for file in files)
    assert "There is no figure" not in read(folder, "report.html")
    assert "cannot be drawn" not in read(folder, "report.html")


def test_the_verdict_is_the_first_thing_said(folder: Path) -> None:
    for name in ("report.html", "report.md"):
        text = read(folder, name)
        assert "audits the claim is refuted" in text
        assert text.index("audits the claim is refuted") < text.index("Verdicts")
        assert "α is per cell" in text
        assert "Holm" in text


def test_the_page_fetches_nothing(folder: Path) -> None:
    text = read(folder, "report.html").replace("http://www.w3.org/", "")
    assert "http" not in text.replace("http-equiv", "")
    assert "default-src &#x27;none&#x27;" in text


def test_what_was_typed_is_text_everywhere(folder: Path) -> None:
    page = read(folder, "report.html")
    assert SCRIPT not in page
    assert page.count("<script") == 1
    assert "<b>singular" not in page
    assert SCRIPT not in read(folder, "report.md")
    for file in (folder / "figures").glob("*.svg"):
        root = ET.fromstring(file.read_text(encoding="utf-8"))
        assert not [node for node in root.iter() if node.tag.endswith("script")]


def test_hover_values_and_the_pages_own_ink(folder: Path) -> None:
    svg = next((folder / "figures").glob("*specified.svg")).read_text(encoding="utf-8")
    assert svg.count("<title>") == 9 * (2 * 2 * 4 + 2 * 2 * 3)
    assert "specified ε 0.1, detected" in svg
    assert "currentColor" in svg
    assert "#1c2024" not in svg
    assert "<text" in svg, "text stays text"


def test_what_is_0_says_so(folder: Path) -> None:
    svg = next((folder / "figures").glob("*delta.svg")).read_text(encoding="utf-8")
    assert "\nδ 0, detected" in svg
    assert "\nδ 0.01, detected" in svg


def test_the_csv_has_every_cell_and_no_clock(folder: Path) -> None:
    lines = list(csv.DictReader(io.StringIO(read(folder, "report.csv"))))
    assert len(lines) == len(list(rows(1, data=2)))
    assert not [name for name in lines[0] if "second" in name or "time" in name]
    assert {line["data"] for line in lines} >= {SCRIPT, SIGNS}
    failed = [line for line in lines if line["error"]]
    assert [line["mechanism"] for line in failed] == ["dp_sgd"]
    assert all(line["p_value"] for line in lines if line["verdict"] == "violated")
    coverage = [line for line in lines if line["kind"] == "coverage"]
    assert {line["n"] for line in coverage} == {"1000", "10000", "50000"}


def test_the_csv_has_the_parameters(folder: Path) -> None:
    lines = csv.DictReader(io.StringIO(read(folder, "report.csv")))
    shown = {line["params"] for line in lines if line["mechanism"] == "dp_sgd" and not line["error"]}
    assert shown == {'{"epochs": 15, "pixels": [0, 255]}', '{"epochs": 15, "pixels": [0, 1]}'}


def test_ranges_of_pixels_and_numbers_of_rows_have_panels_of_their_own(folder: Path) -> None:
    svg = next((folder / "figures").glob("*images.svg")).read_text(encoding="utf-8")
    for panel in ("pixels 0…1 · cifar10, k = 8", "pixels 0…255 · cifar10, k = 1"):
        assert f"<title>{panel}\nshadow\nspecified ε 50, detected" in svg


def test_errors_are_listed(folder: Path) -> None:
    for name in ("report.html", "report.md"):
        assert "Refused or failed" in read(folder, name)
        assert "the learner never produced an output" in read(folder, name)


def test_same_rows_same_page(folder: Path, tmp_path: Path) -> None:
    again = store(tmp_path / folder.name, replicates=1, clock=7.0, data=2)  # other clocks, the same results
    assert main(["report", str(again), "--format", "html,csv", "--out", str(tmp_path / "out")]) == 0
    for kind in ("html", "csv"):
        assert read(tmp_path / "out", f"report.{kind}") == read(folder, f"report.{kind}")


def test_same_rows_same_files(tmp_path: Path) -> None:
    few = [row for row in rows(1) if row.study == "violations"]
    one, two = (write(tmp_path / name / "sweep", few, "violations") for name in ("one", "two"))
    assert main(["report", str(one)]) == main(["report", str(two)]) == 0
    names = [path.relative_to(one) for path in one.rglob("*.*") if path.is_file() and "results" not in path.name]
    assert len(names) == 3 + 3
    for name in names:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name


def test_one_format_writes_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = write(tmp_path / "few", [row for row in rows(1) if row.study == "plain"])
    assert main(["report", str(made), "--format", "csv", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'out' / 'report.csv'}\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.csv"]


def test_a_big_store_keeps_its_page_small(tmp_path: Path) -> None:
    one = next(row for row in rows(1) if row.study == "plain" and "error" not in row.values)
    many = [Row("s", "audit", {**one.settings, "seed": seed}, one.values, 0.0) for seed in range(MOST_ROWS + 5)]
    made = write(tmp_path / "many", many, "specified_detected")
    assert main(["report", str(made), "--format", "html"]) == 0
    page = read(made, "report.html")
    assert page.count('<tr class="not_refuted">') == MOST_ROWS
    assert "first 3 000 of 3 005" in page.replace("\u00a0", " ")


@pytest.mark.parametrize("study", sorted({study.figure for study in STUDIES if study.figure}))
def test_a_figure_of_no_rows_or_strange_ones_does_not_cost_the_report(study: str, tmp_path: Path) -> None:
    strange: list[dict[str, Any]] = [
        {},
        {"error": "refused"},
        {"epsilon_lower": 0.0, "ceiling": float("inf"), "verdict": "not_refuted"},
        {"epsilon_lower": float("nan"), "verdict": "\x00<"},
        {"epsilon_lower": "1", "claim": 3, "versions": ["x"], "notes": None},
    ]
    asked = {
        "mechanism": "$\\frac_",
        "data": "_漢字",
        "attack": "auto",
        "epsilon": 1.0,
        "delta": None,
        "rows": [1, 2],
    }
    found = [Row("s", kind, asked, values, 0.0) for values in strange for kind in ("audit", "influence", "coverage")]
    made = write(tmp_path / "strange", found, study)
    assert main(["report", str(made), "--format", "html"]) == 0
    assert "got neither" in read(made, "report.html")


def test_a_figure_nobody_knows_is_said(tmp_path: Path) -> None:
    made = write(tmp_path / "s", [row for row in rows(1) if row.study == "plain"], "by_row")
    assert main(["report", str(made), "--format", "html"]) == 0
    assert "no figure is called &#x27;by_row&#x27;; did you mean &#x27;by_rows&#x27;?" in read(made, "report.html")


def test_rows_of_a_study_that_was_never_described_are_shown(tmp_path: Path) -> None:
    made = write(tmp_path / "s", [])
    results = SqliteResults(made / "results.sqlite")
    results.put("1", 0, next(row for row in rows(1) if row.study == "plain" and "error" not in row.values))
    results.close()
    assert main(["report", str(made), "--format", "csv"]) == 0
    assert read(made, "report.csv").count("\nplain,") == 1


def test_a_study_without_rows_yet_says_so(tmp_path: Path) -> None:
    made = write(tmp_path / "s", list(rows(replicates=1, data=1))[:3])
    results = SqliteResults(made / "results.sqlite")
    results.describe(Study("later", "Later", figure="specified_detected"))
    results.close()
    assert main(["report", str(made), "--format", "html"]) == 0
    assert "No cell of this study has been measured yet." in read(made, "report.html")


def test_figures_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "figures", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["figures"]
    assert set(listed) == {study.figure for study in STUDIES if study.figure}
    assert all(line.endswith(".") for line in listed.values())


def test_attacks_are_named(folder: Path) -> None:
    page = read(folder, "report.html")
    assert "ours (prior_flip)" in page
    assert "counts exposed · ours (prior_flip)" in page


def test_a_row_that_says_nothing_is_an_error() -> None:
    assert "got neither" in cell_of(Row("s", "audit", {}, {}, 0.0)).error
    assert cell_of(Row("s", "influence", {}, {"influence": 1.0}, 0.0)).error == ""


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            ["report", "nowhere"],
            "must be the folder of a sweep (results.sqlite) or of a run (result.json), got no such",
        ),
        (["report", "empty"], "got a folder with neither"),
        (
            ["report", "sweep", "--format", "pdf"],
            "--format must be all, or some of html, md, csv, sarif, badge, summary, got 'pdf'",
        ),
        (["report", "sweep", "--out", "file"], "--out must be a folder that can be written to"),
        (["report", "bare"], "must hold results, got none; run the sweep first"),
        (["report", "text"], "must be a store"),
        (["report", "broken"], "must be a JSON file"),
    ],
)
def test_bad_input_is_one_sentence(
    typed: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "text", "broken"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "text" / "results.sqlite").write_text("no database" * 99, encoding="utf-8")
    (tmp_path / "broken" / "result.json").write_text("{", encoding="utf-8")
    write(tmp_path / "bare", [])
    write(tmp_path / "sweep", [row for row in rows(1) if row.study == "plain"])
    assert main(typed) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


def test_without_matplotlib_there_is_a_csv_and_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = write(tmp_path / "s", [row for row in rows(1) if row.study == "plain"], "violations")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["report", str(made), "--format", "csv"]) == 0
    assert main(["report", str(made), "--format", "html"]) == 2
    assert "pip install 'mlaudit[report]'" in capsys.readouterr().err


def test_rows_of_the_generator_are_json() -> None:
    assert all(json.dumps(dict(row.values)) for row in rows(1))
