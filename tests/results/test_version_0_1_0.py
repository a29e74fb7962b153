"""Result files that mlaudit 0.1.0 wrote are read, replayed and reported."""

import json
import shutil
from pathlib import Path

import pytest

from mlaudit import AuditResult
from mlaudit.cli import main
from mlaudit.results.verdict import is_former

FILES = sorted((Path(__file__).parent / "version_0_1_0").glob("*.json"))
# The bounds of `mlaudit replay FILE` with seed 1, by version 0.1.0; of `sequential` by 0.2.0, which has other stakes
# (0.1.0: 0.5852869749069214).
REPLAYED = {
    "laplace": 3.0394467529296882,
    "sequential": 0.572662353515625,
    "two_phase": 2.2553868574890674,
    "prediction": 2.6776414653763623,
}


def test_every_kind_of_evidence_is_among_the_files() -> None:
    kinds = {type(AuditResult.from_json(path.read_text("utf-8")).finding.evidence).__name__ for path in FILES}
    assert len(kinds) == 3, kinds
    assert {path.stem for path in FILES} == set(REPLAYED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_read_with_every_number_it_states(path: Path) -> None:
    content = path.read_text(encoding="utf-8")
    stated, result = json.loads(content), AuditResult.from_json(content)
    summary = result.summary()
    for name in summary.keys() & stated.keys() - {"schema_version", "verdict"}:
        assert summary[name] == stated[name], name
    assert is_former(stated["verdict"], result.verdict)
    assert AuditResult.from_json(result.to_json()).to_json() == result.to_json()
    assert f"{stated['mechanism']}, claim ε = " in str(result)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.slow
def test_a_file_is_replayed_with_the_same_bound(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if path.stem == "prediction":
        pytest.importorskip("diffprivlib")
    assert main(["replay", str(path), "--out", str(tmp_path / "again"), "--json", "--quiet"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["epsilon_lower"] == pytest.approx(REPLAYED[path.stem], rel=1e-9)
    assert printed["seed"] == 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.slow
def test_a_report_is_made_of_a_file(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "result.json")
    assert main(["report", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8"))["command"] in page
