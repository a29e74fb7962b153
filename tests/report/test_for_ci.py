"""What CI reads of a folder: SARIF by its schema, the badge, the summary."""

import json
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from generated import audit_row
from numpy.random import default_rng

from mlaudit import Claim, audit
from mlaudit.cli import main
from mlaudit.errors import InvalidInput
from mlaudit.naming.source import SourceLocation, locate, read_location
from mlaudit.report import badge, sarif, step_summary
from mlaudit.report.outcomes import Outcome, read_outcomes
from mlaudit.sweep.store import SqliteResults

SCHEMA = json.loads((Path(__file__).parent / "sarif" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TOY = '''
"""Two mechanisms."""


def exact(data, rng):
    return data.X.sum()


def noisy(data, rng):
    return data.X.sum() + rng.laplace()
'''
CLAIM = '{"epsilon": 1.0, "delta": 0.0, "relation": "add-remove"}'
IN_PROCESS = "--epsilon 1 --backend in_process --quiet"
LOCATION = SourceLocation("definition", "noisy_sum", "pkg/sums.py", 12)


def outcome(**given: Any) -> Outcome:
    usual: dict[str, Any] = {
        "mechanism": "noisy_sum",
        "claim": Claim(1.0),
        "verdict": "violated",
        "epsilon_lower": 1.8,
        "repeated": 1.7,
        "alpha": 0.05,
        "detectable": 1.2,
        "trainings": 400,
        "data": "toy",
        "evidence": "Found by worst_data in output[0](x): it is {1}.",
        "command": "",
        "locations": (LOCATION,),
        "file": Path("runs/result.json"),
    }
    return Outcome(**usual | given)


def read_sarif(outcomes: list[Outcome], *, inconclusive: bool = False) -> dict[str, Any]:
    """The only run of the log, after the whole log was checked by the schema of the standard."""
    log = json.loads(sarif.render(outcomes, inconclusive=inconclusive))
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    return dict(run)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_schema_can_refuse() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    log = json.loads(sarif.render([outcome()]))
    log["runs"][0]["results"][0]["level"] = "terrible"
    with pytest.raises(jsonschema.ValidationError, match="terrible"):
        VALIDATOR.validate(log)


def test_one_result_for_each_violated_claim() -> None:
    run = read_sarif([outcome(), outcome(verdict="not_refuted", epsilon_lower=0.9), outcome(verdict="inconclusive")])
    (found,) = run["results"]
    assert (found["ruleId"], found["level"]) == ("mlaudit/claim-violated", "error")
    place = found["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("pkg/sums.py", 12)
    said = found["message"]["text"]
    assert said.startswith("noisy_sum, claim ε = 1 (replace-one). The true ε is at least 1.8 with 95 % confidence.")
    assert "Repeated on fresh trainings: ε ≥ 1.7." in said
    assert "output[0] (x): it is {{1}}" in said, "neither a link nor a placeholder"


def test_inconclusive_ones_are_listed_on_request() -> None:
    given = [outcome(verdict=verdict, epsilon_lower=0.1) for verdict in ("inconclusive", "not_repeated")]
    run = read_sarif(given, inconclusive=True)
    assert [one["level"] for one in run["results"]] == ["note", "warning"]
    for one in run["results"]:
        assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
    assert read_sarif(given)["results"] == []


def test_fingerprints_stay_from_run_to_run_and_tell_claims_apart() -> None:
    before = sarif.fingerprint(outcome())
    moved = SourceLocation("definition", "noisy_sum", "pkg/sums.py", 99)
    assert sarif.fingerprint(outcome(epsilon_lower=2.5, trainings=9, repeated=None, locations=(moved,))) == before
    others = [outcome(mechanism="mean"), outcome(claim=Claim(2.0)), outcome(data="adult"), outcome(settings="{}")]
    assert len({before, *map(sarif.fingerprint, others)}) == 5


def test_the_traced_line_comes_first_and_the_test_is_related() -> None:
    traced = {"role": "traced", "name": "noisy_sum", "file": "pkg/my sums.py", "line": 14}
    tested = {"role": "test", "name": "test_it", "file": "tests/test_it.py", "line": 3}
    path = Path("result.json")
    said = {"mechanism": "m", "claim": {"epsilon": 1.0, "delta": 0.0, "relation": "replace-one"}, "alpha": 0.05}
    said |= {"verdict": "violated", "epsilon_lower": 2.0, "trainings": 10}
    from mlaudit.report.outcomes import _make

    one = _make({**said, "locations": [tested, LOCATION.as_data(), traced]}, path)
    (found,) = read_sarif([one])["results"]
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "pkg/my%20sums.py"
    assert [one["physicalLocation"]["region"]["startLine"] for one in found["relatedLocations"]] == [12, 3]


@pytest.mark.parametrize(
    "change",
    [
        {"file": "/etc/passwd"},
        {"file": "a/../../b.py"},
        {"file": "https://example.org/x.py"},
        {"file": "C:\\x.py"},
        {"file": ""},
        {"file": 3},
        {"line": 0},
        {"line": True},
        {"role": "elsewhere"},
        {"name": "a\x1b[2J"},
    ],
)
def test_locations_of_strangers_stay_below_the_working_directory(change: dict[str, object]) -> None:
    assert read_location(LOCATION.as_data()) == LOCATION
    assert read_location(LOCATION.as_data() | change) is None


def test_installed_learners_have_no_line_of_this_project(toy: Path) -> None:
    assert locate(json.loads) is None
    assert locate(pytest.fixture) is None
    assert read_sarif([outcome(locations=())])["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "runs/result.json", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 1},
    }


@pytest.mark.slow
def test_a_folder_of_tests_scans_and_runs(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Fails for a correct program with probability < 1e-6: alpha.
    assert main(shlex.split(f"test toy.py:exact --bounds 0,1 --effort smoke {IN_PROCESS}")) == 3
    kept = "--pilot 10 --trainings 100 --alpha 1e-6"
    (toy / "rows.csv").write_text("x,y\n0,0\n1,1\n0.5,0\n0.25,1\n", encoding="utf-8")
    assert main(shlex.split(f"scan toy.py:noisy --data rows.csv --target y {kept} {IN_PROCESS}")) == 0
    (toy / "mlaudit-runs" / "run").mkdir()
    audited = audit("laplace", rows=1, trainings=200, alpha=1e-6)
    (toy / "mlaudit-runs" / "run" / "result.json").write_text(audited.to_json(), encoding="utf-8")
    capsys.readouterr()
    assert main(shlex.split("report mlaudit-runs --format sarif,badge,summary --out made")) == 0
    assert capsys.readouterr().out.split() == ["made/report.sarif", "made/badge.json", "made/summary.md"]
    log = json.loads((toy / "made" / "report.sarif").read_text(encoding="utf-8"))
    VALIDATOR.validate(log)
    (found,) = log["runs"][0]["results"]
    place = found["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("toy.py", 6), "the line that leaks"
    assert place["region"]["snippet"]["text"].startswith("return ")
    defined = found["relatedLocations"][0]["physicalLocation"]
    assert defined["region"]["startLine"] == 5
    assert "Repeat it: mlaudit test toy.py:exact" in found["message"]["text"]
    shown = json.loads((toy / "made" / "badge.json").read_text(encoding="utf-8"))
    assert shown["message"].startswith("3 claims: 1 violated, 2 not refuted, ")
    page = (toy / "made" / "summary.md").read_text(encoding="utf-8")
    assert page.startswith("## Privacy claims: 3 claims tested, 1 violated\n")
    assert page.count("\n| ") == 5, "a head, a rule and three rows"


def test_a_sweep_after_holms_correction(tmp_path: Path) -> None:
    """α is per cell; the second violation has counts that chance may give among several cells."""
    dice, store = default_rng(0), SqliteResults(tmp_path / "results.sqlite")
    asked: list[tuple[float, dict[str, Any]]] = [(2.0, {"rows": 1}), (2.0, {"rows": 8}), (0.5, {"rows": 1})]
    for position, (found, settings) in enumerate(asked):
        row = audit_row("s", 1.0, found, dice, mechanism="m", data="d", replicate=position, **settings)
        store.put(f"cell {position}", position, row)
    store.close()
    told = read_outcomes(tmp_path)
    assert [(one.verdict, one.remains) for one in told] == [
        ("violated", True),
        ("violated", False),
        ("not_refuted", True),
    ]
    results = read_sarif(told)["results"]
    assert [one["level"] for one in results] == ["error", "warning"]
    assert "not remain after Holm's correction" in results[1]["message"]["text"]
    assert len({one["partialFingerprints"]["mlauditClaim/v1"] for one in results}) == 2


def test_the_badge_has_what_shields_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794873600")
    kept = outcome(verdict="not_refuted", epsilon_lower=0.937, repeated=None)
    assert json.loads(badge.render([kept])) == {
        "schemaVersion": 1,
        "label": "privacy audit",
        "message": "not refuted: claim ε = 1 (replace-one), bound ε ≥ 0.937, 2026-11-17",
        "color": "brightgreen",
    }
    colours = [json.loads(badge.render([outcome(verdict=v), kept]))["color"] for v in ("violated", "inconclusive")]
    assert colours == ["red", "yellow"]


def test_a_name_cannot_break_the_summary() -> None:
    page = step_summary.render([outcome(mechanism="a|b<script>\n# c")])
    assert "<script>" not in page.replace("\\<script\\>", "")
    assert "\n# c" not in page


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[]", "must be a result file of mlaudit"),
        ("{}", "got no claim in it"),
        ('{"claim": {"epsilon": 1.0}}', "without ε, δ or relation"),
        (f'{{"claim": {CLAIM}, "verdict": "violated", "epsilon_lower": 0.5}}', "does not fit its bound"),
    ],
)
def test_other_files_are_refused_in_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "result.json").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=sentence):
        read_outcomes(tmp_path)


def test_bad_command_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for typed, sentence in (
        (f"report {tmp_path} --format badge", "must hold a result"),
        (f"report {tmp_path}/no --format badge", "no such folder"),
        (f"report {tmp_path} --format badge --inconclusive", "--inconclusive is for --format sarif"),
        (f"report {tmp_path} --format sarif,pdf", "--format must be all, or some of"),
    ):
        assert main(shlex.split(typed)) == 2
        assert sentence in capsys.readouterr().err
