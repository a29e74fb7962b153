"""Every attack that replaces rows can also add or remove them, and the claim says whether that is a step."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from mlaudit import Box, Claim, Dataset, L2Ball, Pair, Relation, audit
from mlaudit.adapters.prediction_at import PredictionAt
from mlaudit.attacks._changes import Added, Removed, changed_rows, with_change
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.attacks.loss_threshold import LossThreshold
from mlaudit.attacks.prior_flip import PriorFlip
from mlaudit.cli import main
from mlaudit.datasets._load import load_data
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.describe import name_of
from mlaudit.naming.plugins import load, shipped
from mlaudit.testing.attack import PlainLearner, random_data
from mlaudit.types.changes import CHANGES

ATTACKS = sorted(set(shipped("attacks")) - {"tight"})
RUN = (
    "run naive_bayes --data iris --attack prior_flip --change {change} --relation add-remove --rows 1 "
    "--trainings 400 --json"
)


def small(*, ball: bool, seed: int = 3) -> tuple[PlainLearner, Dataset]:
    learner = PlainLearner(ball)
    data = random_data(default_rng(seed))
    return learner, data.within(learner.domain(data))


def pair_of(attack: Any, learner: Any, data: Dataset, rows: int) -> Pair:
    pair: Pair = attack(learner, data, rows, default_rng(1))
    return pair


def point_set(X: Any) -> set[tuple[float, ...]]:
    return {tuple(x) for x in np.asarray(X).tolist()}


@pytest.mark.parametrize("ball", [False, True], ids=["box", "ball"])
@pytest.mark.parametrize("rows", [1, 2, 4])
@pytest.mark.parametrize("name", ATTACKS)
def test_rows_are_added_in_place_of_being_replaced(name: str, rows: int, ball: bool) -> None:
    learner, data = small(ball=ball)
    attack = load("attacks", name)()
    replaced, pair = pair_of(attack, learner, data, rows), pair_of(Added(attack), learner, data, rows)
    np.testing.assert_array_equal(pair.neighbour.X[: len(data)], data.X)
    np.testing.assert_array_equal(np.asarray(pair.neighbour.y)[: len(data)], np.asarray(data.y))
    at = changed_rows(replaced)
    np.testing.assert_array_equal(pair.neighbour.X[len(data) :], replaced.neighbour.X[at])
    np.testing.assert_array_equal(np.asarray(pair.neighbour.y)[len(data) :], np.asarray(replaced.neighbour.y)[at])
    assert pair.base.digest == data.digest
    assert (pair.rows, pair.relation, pair.steps(Relation.ADD_REMOVE)) == (rows, Relation.ADD_REMOVE, rows)
    assert pair.target is not None
    assert point_set(pair.neighbour.X[len(data) :]) == point_set([pair.target])  # x* is what was added
    assert data.domain is pair.neighbour.domain
    assert data.domain is not None
    assert data.domain.contains(pair.neighbour.X).all()


@pytest.mark.parametrize("ball", [False, True], ids=["box", "ball"])
@pytest.mark.parametrize("rows", [1, 2, 4])
@pytest.mark.parametrize("name", ATTACKS)
def test_rows_are_removed_in_place_of_being_replaced(name: str, rows: int, ball: bool) -> None:
    learner, data = small(ball=ball)
    attack = load("attacks", name)()
    at = changed_rows(pair_of(attack, learner, data, rows))
    pair = pair_of(Removed(attack), learner, data, rows)
    np.testing.assert_array_equal(pair.neighbour.X, np.delete(data.X, at, axis=0))
    np.testing.assert_array_equal(np.asarray(pair.neighbour.y), np.delete(np.asarray(data.y), at))
    assert pair.base.digest == data.digest
    assert (pair.rows, pair.relation, pair.steps(Relation.ADD_REMOVE)) == (rows, Relation.ADD_REMOVE, rows)
    assert pair.target is not None
    assert pair.target.tolist() in data.X[at].tolist()  # x* is what was removed
    assert data.domain is pair.neighbour.domain


@pytest.mark.parametrize("change", ["add", "remove"])
@pytest.mark.parametrize("name", ATTACKS)
def test_another_size_is_no_step_under_replace_one(name: str, change: str) -> None:
    learner, data = small(ball=False)
    attack = with_change(load("attacks", name)(), change)
    if name not in ("loss_threshold", "clip_bkd_prediction", "clip_bkd_extended"):  # which need one that predicts
        with pytest.raises(InvalidInput, match="under replace-one both datasets need the same size, got"):
            audit(learner, data, attack=attack, rows=2, trainings=100)
    with pytest.raises(InvalidInput, match="claim add-remove or replace rows instead"):
        pair_of(attack, learner, data, 2).steps(Relation.REPLACE_ONE)


@pytest.mark.slow
def test_the_whole_line_takes_a_changed_attack() -> None:
    learner, data = small(ball=False)
    claim = Claim(1.0, relation=Relation.ADD_REMOVE)
    added = audit(learner, data, attack=Added(FarCorner()), claim=claim, rows=(1, 2), trainings=400)
    removed = audit(learner, data, attack=Removed(FarCorner()), claim=claim, rows=2, trainings=100)
    assert added.attack == "far_corner, added"
    assert removed.attack == "far_corner, removed"
    assert added.finding.bound.steps == added.pair.rows == len(added.pair.neighbour) - len(data)
    assert removed.finding.bound.steps == removed.pair.rows == len(data) - len(removed.pair.neighbour) == 2


def test_data_without_labels_can_be_changed_too() -> None:
    data = Dataset([0.0, 1.0, 0.5])
    added, removed = (pair_of(kind(FarCorner()), None, data, 1) for kind in (Added, Removed))
    assert added.neighbour.X.ravel().tolist() == [0.0, 1.0, 0.5, 1.0]
    assert removed.neighbour.X.ravel().tolist() == [1.0, 0.5]
    assert added.neighbour.y is removed.neighbour.y is None


def test_some_row_must_stay() -> None:
    data = Dataset([0.0, 0.5], domain=Box(0, 1))
    with pytest.raises(InvalidInput, match="a dataset needs at least one row, got 2 to remove of 2"):
        pair_of(Removed(FarCorner()), None, data, 2)


def test_what_adds_rows_itself_cannot_be_changed() -> None:
    for kind in (Added, Removed):
        with pytest.raises(InvalidInput, match="got an attack that adds or removes rows itself"):
            pair_of(kind(Added(FarCorner())), None, Dataset([0.0, 0.5, 1.0]), 1)


def test_changes_by_name() -> None:
    attack = PriorFlip()
    assert CHANGES == ("replace", "add", "remove", "relabel", "zero")
    assert with_change(attack, "replace") is attack
    assert [name_of(with_change(attack, change)) for change in CHANGES] == [
        "prior_flip",
        "prior_flip, added",
        "prior_flip, removed",
        "prior_flip, labels only",
        "prior_flip, zeroed",
    ]
    assert [name_of(with_change(Added(attack), change)) for change in ("replace", "add")] == ["prior_flip, added"] * 2
    with pytest.raises(UnknownName, match=r"^no change is called 'addd'; did you mean 'add'\?$"):
        with_change(attack, "addd")


@pytest.mark.slow
@pytest.mark.parametrize("change", ["add", "remove", "zero"])
def test_an_attack_that_watches_a_prediction_does_so_whatever_the_change(change: str) -> None:
    attack: Any = with_change(LossThreshold(), change)
    learner = NaiveBayes(relation=Relation.ADD_REMOVE)
    assert attack.observe(learner) == PredictionAt(learner)
    result = audit(learner, load_data("iris"), attack=attack, rows=1, trainings=100)
    assert result.provenance.parameters["type"] == "AtTarget"
    plain: Any = with_change(PriorFlip(), change)
    assert plain.observe(learner) is learner


def run(call: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main(shlex.split(call)) == code
    printed = capsys.readouterr()
    assert printed.err == ""
    found: dict[str, Any] = json.loads(printed.out)
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("change", "said"), [("add", "prior_flip, added"), ("remove", "prior_flip, removed")])
@pytest.mark.slow
def test_the_command_adds_and_removes_rows(
    change: str, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(f"{RUN.format(change=change)} --alpha 1e-6", capsys)
    assert (found["attack"], found["rows"], found["steps"]) == (said, 1, 1)
    assert found["claim"]["relation"] == "add-remove"
    # Fails for a correct program with probability < 2e-6: α of each.
    assert (found["verdict"], found["trainings"], found["dataset"]) == ("not_refuted", 400, "iris")


@pytest.mark.slow
@pytest.mark.parametrize("change", ["add", "remove"])
def test_the_class_counts_of_naive_bayes_leak_all_there_is(
    change: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = RUN.format(change=change).replace("400", "1500")  # fewer, and the sum of the counts is not learned in time
    found = run(f"{call} --param counts=True --fail-on-violation", capsys, code=3)
    # Fails for a correct program with probability < 1e-9: bounds of 6.0 ± 0.2, where one stray guess costs 0.3.
    assert found["verdict"] == "violated"
    assert found["rows"] == found["steps"] == 1
    assert found["epsilon_lower"] > 3
    assert found["ceiling"] > 6


@pytest.mark.slow
def test_the_counts_betray_no_replaced_row(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = RUN.format(change="replace").replace("add-remove", "replace-one")
    # Fails for a correct program with probability < 1e-6: α.
    assert run(f"{call} --param counts=True --alpha 1e-6", capsys)["verdict"] == "not_refuted"


def test_the_command_refuses_what_the_claim_does_not_cover(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split("run naive_bayes --data iris --change add --trainings 100 --rows 1")) == 2
    assert capsys.readouterr().err == (
        "mlaudit: under replace-one both datasets need the same size, got 100 and 101 rows; "
        "claim add-remove or replace rows instead\n"
    )
    assert main(shlex.split("run laplace --change add --trainings 100")) == 2
    assert capsys.readouterr().err == "mlaudit: --change add changes rows of data, got none; give --data\n"


def test_a_ball_holds_what_is_added() -> None:
    data = Dataset([[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]], [0, 1, 0], L2Ball(5.0, (0, 1)))
    pair = pair_of(Added(FarCorner()), PlainLearner(ball=True), data, 1)
    assert np.linalg.norm(pair.neighbour.X[-1]) == pytest.approx(5.0)
