"""Audits of learners that read text, categories and missing values: from the command line and from Python."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlaudit import AuditResult, Claim, Dataset, audit, confirm, refute, scan
from mlaudit.cli import main
from mlaudit.datasets import Boolean, Category, Columns, Integer, Number, Text, from_table
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Relation
from mlaudit.types.column import TypedColumn

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "typed_table.py"
PEOPLE = """age,colour,smokes
31,red,True
47,green,False
52,blue,
18,red,True
"""
DATA = from_table({"colour": ["red", "red", "blue"], "visits": [3, None, 1]})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    capsys.readouterr()
    assert main(shlex.split(command)) == code
    return capsys.readouterr().out


def seen(data: Dataset, rng: Any) -> dict[str, float]:
    return {str(colour): 1.0 + rng.laplace() for colour in sorted(set(data.columns["colour"].tolist()))}


def gaps(data: Dataset, rng: Any) -> list[float]:
    """The number of missing values, without noise."""
    return [float(sum(value is None for value in data.columns["visits"].tolist())), rng.laplace()]


def declared(data: Dataset, rng: Any) -> list[float]:
    colours = data.columns["colour"].tolist()
    return [colours.count(colour) + rng.laplace(scale=2.0) for colour in ("blue", "red")]


@pytest.mark.slow
def test_a_text_that_nobody_has_is_found_and_the_witness_can_be_read(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The keys of the output tell D from D′ in every training."""
    typed = f"run {EXAMPLE}:colours_seen --data people.csv --typed any --epsilon 1 --rows 1 --trainings 300"
    said = run(f"{typed} --quiet", capsys)
    assert said.startswith("VIOLATED")
    assert "colour: any text" in said
    assert "became [colour 'unseen text']" in said
    found = json.loads(run(f"{typed} --json", capsys))
    file = next(file for file in found["files"] if file.endswith("result.json"))
    result = AuditResult.from_json(Path(file).read_text(encoding="utf-8"))
    assert isinstance(result.pair.base.domain, Columns)
    assert result.pair.base.columns["colour"].tolist() == ["red", "green", "blue", "red"]
    assert found["epsilon_lower"] > 1
    run(f"report {Path(file).parent} --format md", capsys)
    assert "| colour | any text |" in (Path(file).parent / "report.md").read_text(encoding="utf-8")
    again = run(f"replay {file} --mechanism {EXAMPLE}:colours_seen --trainings 300 --quiet", capsys)
    assert again.startswith("VIOLATED")


def test_declared_colours_are_not_refuted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Fails for a correct program with probability < 1e-6: the α of the audit.
    typed = f"run {EXAMPLE}:colours_declared --data people.csv --typed any --epsilon 1 --rows 1 --trainings 300"
    assert run(f"{typed} --alpha 1e-6 --quiet", capsys).startswith("NOT REFUTED")


@pytest.mark.slow
def test_crafted_tables_miss_values_where_the_learner_declares_that_they_may(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An imputed mean moves by up to n times what its noise covers, and the search crafts such rows."""
    # Fails for a correct program with probability < 1e-9: at 8 rows the outputs lie 8 scales of the noise apart.
    said = run(f"run {EXAMPLE}:ImputedMean --data worst --rows 1 --trainings 600 --quiet", capsys)
    assert said.startswith("VIOLATED")
    script = next((here / "mlaudit-runs").glob("*/witness_*.py")).read_text(encoding="utf-8")
    assert "D = {'income': np.array([" in script
    assert "np.nan" in script


@pytest.mark.slow
@pytest.mark.parametrize("learner", [seen, gaps])
def test_tests_and_scans_find_both_leaks(learner: Any) -> None:
    """Each output tells D from D′ in every training."""
    found = refute(learner, DATA, claim=Claim(1.0), effort="smoke")
    assert found.violated
    assert "[colour 're" in str(found) or "[colour 'bl" in str(found) or "[colour 'un" in str(found)
    scanned = scan(learner, DATA, claim=Claim(1.0))
    assert scanned.violated


@pytest.mark.slow
def test_numbers_do_not_depend_on_jobs() -> None:
    one, two = (
        audit(declared, DATA, claim=Claim(1.0), rows=1, trainings=400, engine=LokyEngine(jobs)) for jobs in (1, 2)
    )
    assert one.summary()["epsilon_lower"] == two.summary()["epsilon_lower"]
    assert one.pair.neighbour.digest == two.pair.neighbour.digest


@pytest.mark.slow
def test_a_result_is_read_and_confirmed() -> None:
    """The number of gaps is exact, so that every training tells D from D′."""
    result = audit(gaps, DATA, claim=Claim(1.0), rows=1, trainings=300)
    again = AuditResult.from_json(result.to_json())
    assert again.pair.neighbour.digest == result.pair.neighbour.digest
    assert confirm(again, gaps, seed=7).violated


@pytest.mark.slow
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.LABEL_ONLY])
def test_other_relations_work_on_typed_tables(relation: Relation) -> None:
    """The learner releases labels and rows without noise."""

    def exact(data: Dataset, rng: Any) -> list[float]:
        return [
            float(list(data.columns["colour"]).count("red")) + float(np.count_nonzero(data.y == "yes")),
            float(len(data.X)),
        ]

    data = from_table({"colour": ["red", None, "blue"], "plan": ["yes", "no", "yes"]}, target="plan")
    assert audit(exact, data, claim=Claim(1.0, relation=relation), rows=1, trainings=200).violated


def test_zeros_mean_nothing_among_texts() -> None:
    with pytest.raises(InvalidInput, match="zero-out needs a domain that contains the row of zeros"):
        audit(declared, DATA, claim=Claim(1.0, relation=Relation.ZERO_OUT), rows=1, trainings=200)


WRONG = {
    "run laplace --data people.csv --typed any --columns age --rows 1": "a typed table needs",
    f"run {EXAMPLE}:colours_seen --data people.csv --typed all --epsilon 1": "typed must be 'any' or 'seen'",
    f"run {EXAMPLE}:colours_seen --data people.csv --typed any --scale none --epsilon 1": "scale encodes columns",
    f"run {EXAMPLE}:colours_seen --data worst --typed any --epsilon 1": "got --typed; leave that out",
    f"run {EXAMPLE}:colours_seen --data people.csv --typed any --target town --epsilon 1": "is called 'town'",
    f"run {EXAMPLE}:colours_seen --data people.csv --epsilon 1 --rows 1 --target smokes": "columns belong",
    f"test {EXAMPLE}:colours_seen --data people.csv --typed any --epsilon 1 --bounds 0,1": "bounds of their own",
    f"run {EXAMPLE}:colours_seen --data people.csv --typed any --epsilon 1 --outside-domain any": "domain out",
}


@pytest.mark.parametrize("command", WRONG)
def test_what_does_not_go_together_gets_one_sentence(
    command: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(command)) == 2
    printed = capsys.readouterr()
    assert WRONG[command] in printed.err
    assert len(printed.err.strip().splitlines()) == 1


def test_estimators_are_fitted_to_frames() -> None:
    pytest.importorskip("pandas")
    compose, impute, preprocessing = (
        pytest.importorskip(f"sklearn.{name}") for name in ("compose", "impute", "preprocessing")
    )
    made = compose.make_column_transformer(
        (impute.SimpleImputer(), ["visits"]), (preprocessing.OneHotEncoder(), ["colour"])
    )
    columns: list[TypedColumn] = [
        Category("colour", ("red", "blue")),
        Number("visits", 0, 9, missing=True),
        Boolean("b"),
        Integer("n", 0, 1),
    ]
    data = from_table(
        {"colour": ["red", "blue", "red"], "visits": [3.0, None, 1.0], "b": [True] * 3, "n": [0, 1, 1]}, columns
    )

    def fitted(data: Dataset, rng: Any) -> Any:
        return made.fit_transform(data.frame()).mean(axis=0) + rng.laplace(size=3)

    assert audit(fitted, data, claim=Claim(1.0), rows=1, trainings=200).epsilon_lower >= 0
    imputer = impute.SimpleImputer()
    assert audit(imputer, from_table({"x": [1.0, None, 3.0]}), claim=Claim(1.0), rows=1, trainings=200).violated


def test_texts_can_be_listed_or_left_open() -> None:
    open_, closed = (from_table({"colour": ["red", "blue"]}, texts=texts) for texts in ("any", "seen"))
    assert isinstance(open_.domain, Columns)
    assert isinstance(closed.domain, Columns)
    assert (type(open_.domain.columns[0]), type(closed.domain.columns[0])) == (Text, Category)
