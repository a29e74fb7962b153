"""The attacks of the literature do what their papers say, on data small enough to check by hand."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.special import expit

from mlaudit import Box, Dataset, L2Ball, LokyEngine, Pair, audit, confirm
from mlaudit.adapters.prediction_at import PredictionAt
from mlaudit.attacks._changes import changed_rows
from mlaudit.attacks._rows import corner_distance
from mlaudit.attacks._surrogates import LogisticSurrogate, Surrogate, influence
from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.attacks.coefficient import Coefficient
from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.attacks.influence import Influence, _Norm
from mlaudit.attacks.lone_flip import LoneFlip
from mlaudit.attacks.loss_threshold import LossThreshold
from mlaudit.attacks.mean_corner import MeanCorner
from mlaudit.attacks.mislabelled import Mislabelled
from mlaudit.attacks.prior_flip import PriorFlip
from mlaudit.attacks.swap_x import SwapX
from mlaudit.cli import main
from mlaudit.datasets._load import load_data
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.sampler import Sampler
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.logistic_objective import LogisticObjective
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.fingerprint import fingerprint
from mlaudit.naming.plugins import load_file
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Attack, Mechanism
from mlaudit.testing.attack import PlainLearner, random_data
from mlaudit.types.arrays import FloatArray

UNIT = Box([0, 0], [1, 1], (0, 1))
# Row 2 is nearest a corner, (1, 1); rows 5 and 0 are the next nearest of its class.
SQUARE = Dataset(
    [[0.8, 0.9], [0.4, 0.3], [0.95, 1.0], [0.0, 0.2], [1.0, 0.7], [0.9, 0.9], [0.5, 0.6], [0.1, 0.0]],
    [1, 0, 1, 0, 0, 1, 1, 0],
    Box([0, 0], [1, 1], (0, 1)),
)


def attacked(attack: Attack, data: Dataset, rows: int = 1, learner: Any = None, seed: int = 0) -> Pair:
    return attack(learner or PlainLearner(), data, rows, default_rng(seed))


def changes(pair: Pair) -> dict[int, tuple[list[float], Any]]:
    """The rows that changed, and what they became."""
    y = np.asarray(pair.neighbour.y)
    return {int(i): (pair.neighbour.X[i].tolist(), y[i].item()) for i in changed_rows(pair)}


def target_of(pair: Pair) -> FloatArray:
    assert pair.target is not None
    return pair.target


# prior_flip


@pytest.mark.parametrize(("rows", "which"), [(1, {2}), (2, {2, 5}), (3, {0, 2, 5}), (4, {0, 2, 5, 6})])
def test_prior_flip_turns_copies_of_the_row_nearest_a_corner_into_the_other_class(rows: int, which: set[int]) -> None:
    assert np.argmin(corner_distance(SQUARE.X)) == 2
    pair = attacked(PriorFlip(), SQUARE, rows)
    assert changes(pair) == dict.fromkeys(sorted(which), ([0.95, 1.0], 0))
    assert target_of(pair).tolist() == [0.95, 1.0]


def test_prior_flip_cannot_change_more_rows_than_a_class_has() -> None:
    with pytest.raises(InvalidInput, match="there must be 5 rows that the attack can change, got 4; ask for fewer"):
        attacked(PriorFlip(), SQUARE, 5)


def test_corners_are_those_of_the_data() -> None:
    far_from_the_domain = Dataset(SQUARE.X * 0.5, SQUARE.y, Box([-9, -9], [9, 9], (0, 1)))
    assert set(changes(attacked(PriorFlip(), far_from_the_domain))) == {2}


# mean_corner


def test_mean_corner_moves_the_row_at_its_classs_corner_to_the_farthest_and_keeps_its_label() -> None:
    pair = attacked(MeanCorner(), SQUARE)
    assert changes(pair) == {2: ([0.0, 0.0], 1)}  # class 1 sits at (1, 1), and row 2 is nearest to it
    assert changes(attacked(MeanCorner(), SQUARE, 2)) == {2: ([0.0, 0.0], 1), 5: ([0.0, 0.0], 1)}
    np.testing.assert_array_equal(np.asarray(pair.neighbour.y), np.asarray(SQUARE.y))


def test_mean_corner_crosses_the_box_from_any_corner() -> None:
    flips = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    for flip in flips:  # the same rows, mirrored: class 1 sits at each corner in turn
        mirrored = Dataset(np.where(flip == 1, 1 - SQUARE.X, SQUARE.X), SQUARE.y, UNIT)
        assert changes(attacked(MeanCorner(), mirrored)) == {2: (flip.tolist(), 1)}


def test_mean_corner_goes_by_the_corner_of_the_class_not_of_the_row() -> None:
    # Row 0 lies in a corner, but its class is at the opposite one.
    data = Dataset([[0.0, 0.0], [1.0, 0.9], [0.9, 1.0], [0.3, 0.2], [0.2, 0.3]], [1, 1, 1, 0, 0], UNIT)
    assert changes(attacked(MeanCorner(), data)) == {1: ([0.0, 0.0], 1)}


def test_mean_corner_reaches_to_the_corner_of_the_domain_and_no_further() -> None:
    wide = Dataset(SQUARE.X, SQUARE.y, Box([-1, -2], [3, 4], (0, 1)))
    ((x, _),) = changes(attacked(MeanCorner(), wide)).values()
    assert x in ([-1.0, -2.0], [-1.0, 4.0], [3.0, -2.0], [3.0, 4.0])
    ball = Dataset(SQUARE.X, SQUARE.y, L2Ball(2.0, (0, 1)))
    assert L2Ball(2.0).contains(attacked(MeanCorner(), ball).neighbour.X).all()


# lone_flip


def test_lone_flip_turns_the_row_farthest_from_all_others() -> None:
    data = Dataset([[0.4, 0.4], [0.5, 0.5], [1.0, 0.0], [0.4, 0.5], [0.0, 0.6], [0.5, 0.4]], [0, 1, 1, 0, 1, 0], UNIT)
    far = np.abs(data.X[:, None, :] - data.X[None, :, :]).sum(axis=(1, 2))
    assert far.argmax() == 2
    assert changes(attacked(LoneFlip(), data)) == {2: ([1.0, 0.0], 0)}
    assert changes(attacked(LoneFlip(), data, 2)) == {2: ([1.0, 0.0], 0), 4: ([1.0, 0.0], 0)}


def test_lone_flip_measures_in_l1_not_in_l2() -> None:
    # In L2 row 0, at (5, 0), is the loneliest; in L1 it is row 1, at (3.5, 3.5).
    data = Dataset([[5.0, 0.0], [3.5, 3.5], [0.0, 0.0], [0.1, 0.1], [0.0, 0.1]], [0, 1, 0, 1, 0], None)
    euclid = np.linalg.norm(data.X[:, None, :] - data.X[None, :, :], axis=2).sum(axis=1)
    assert euclid.argmax() == 0
    assert set(changes(attacked(LoneFlip(), data))) == {1}


# clip_bkd


def test_clip_bkd_lies_along_the_direction_of_least_variance_at_the_median_norm() -> None:
    rng = default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X = rng.normal(size=(400, 3)) * [3.0, 1.0, 0.1] @ turn.T + [5.0, 1.0, -2.0]
    data = Dataset(X, (X @ turn[:, 0] > X.mean(axis=0) @ turn[:, 0]).astype(int))
    point = target_of(attacked(ClipBkd(), data))
    values, vectors = np.linalg.eigh(np.cov(X.T))
    assert values[0] < 0.02
    assert abs(point @ vectors[:, 0]) / np.linalg.norm(point) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(point) == pytest.approx(np.median(np.linalg.norm(X, axis=1)))


def test_clip_bkd_takes_the_label_that_is_least_likely_there() -> None:
    rng = default_rng(4)
    X = np.column_stack([rng.normal(size=200), 3.0 + 0.1 * rng.normal(size=200)])
    for sign in (1, -1):
        y = (sign * (X[:, 1] - 3.0) > 0).astype(int)
        for rows in (1, 4):
            pair = attacked(ClipBkd(), Dataset(X, y), rows)
            assert np.abs(target_of(pair)[0]) < 0.2
            above = target_of(pair)[1] > 3.0
            likely = int(above if sign == 1 else not above)
            assert len(changes(pair)) == rows
            assert {label for _, label in changes(pair).values()} == {1 - likely}


def test_clip_bkd_stays_in_the_domain_and_poisons_random_rows() -> None:
    data = Dataset(SQUARE.X, SQUARE.y, L2Ball(1.5, (0, 1)))
    pairs = [attacked(ClipBkd(), data, seed=seed) for seed in range(40)]
    assert all(L2Ball(1.5).contains(pair.neighbour.X).all() for pair in pairs)
    # Fails for a correct program with probability < 1e-15: 40 rows of 8 at random, and no more than three of them.
    assert len({tuple(changes(pair)) for pair in pairs}) > 3
    np.testing.assert_allclose([target_of(pair) for pair in pairs], [target_of(pairs[0])] * 40, rtol=1e-9)


# influence


def fitted(name: str, C: float = 1.0, *, intercept: bool = True) -> tuple[Dataset, LogisticSurrogate]:
    data = load_data(name)
    return data, LogisticSurrogate.fit(data, C, intercept=intercept)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("label", [0, 1])
def test_the_gradient_of_the_influence_agrees_with_differences(label: int, intercept: bool) -> None:
    data, surrogate = fitted("breast_cancer", intercept=intercept)
    norm = _Norm(surrogate)
    for x in (data.X[3], data.X.mean(axis=0), default_rng(label).normal(size=30)):
        value, gradient = norm(x, label)
        assert value == pytest.approx(np.linalg.norm(influence(surrogate, x, label)))
        h = 1e-6
        numeric = [(norm(x + h * e, label)[0] - norm(x - h * e, label)[0]) / (2 * h) for e in np.eye(30)]
        np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_surrogate_is_at_its_minimum_with_the_right_gradient_and_hessian(intercept: bool) -> None:
    data, surrogate = fitted("iris", C=0.5, intercept=intercept)
    y = np.asarray(data.y)

    def whole_gradient(theta: FloatArray) -> FloatArray:
        p = expit(surrogate.X @ theta)
        return np.asarray(surrogate.X.T @ (p - y) + surrogate.penalty * theta)

    parts = sum(surrogate.loss_gradient(x, int(label)) for x, label in zip(data.X, y, strict=True))
    np.testing.assert_allclose(parts + surrogate.penalty * surrogate.theta, 0, atol=1e-5)
    np.testing.assert_allclose(whole_gradient(surrogate.theta), 0, atol=1e-5)
    steps = 1e-6 * np.eye(len(surrogate.theta))
    numeric = [(whole_gradient(surrogate.theta + s) - whole_gradient(surrogate.theta - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(surrogate.hessian(), numeric, rtol=1e-4, atol=1e-6)
    assert len(surrogate.theta) == 4 + intercept


@pytest.mark.parametrize("intercept", [True, False])
def test_influence_is_what_a_refit_with_one_more_row_shows(intercept: bool) -> None:
    rng = default_rng(1)
    X = rng.normal(size=(20_000, 3))
    data = Dataset(X, (rng.random(20_000) < expit(X @ [1.0, -2.0, 0.5] + 0.3)).astype(int))
    surrogate = LogisticSurrogate.fit(data, 1.0, intercept=intercept)
    for x, label in (
        (np.array([2.0, 2.0, -1.0]), 1),
        (np.array([0.5, 0.0, 3.0]), 0),
        (np.array([-3.0, 1.0, 0.0]), 1),
    ):
        more = Dataset(np.vstack([X, x]), np.append(np.asarray(data.y), label))
        moved = LogisticSurrogate.fit(more, 1.0, intercept=intercept).theta - surrogate.theta
        expected = influence(surrogate, x, label)
        assert np.linalg.norm(moved - expected) < 0.01 * np.linalg.norm(expected)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [LogisticObjective(), LogisticOutput()], ids=["objective", "output"])
@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
def test_the_influential_point_beats_every_row_and_clip_bkd_inside_the_ball(name: str, learner: Any) -> None:
    data = load_data(name)
    data = data.within(learner.domain(data))
    assert isinstance(data.domain, L2Ball)
    surrogate = learner.surrogate(data)

    def size(x: FloatArray, label: int) -> float:
        return float(np.linalg.norm(influence(surrogate, x, label)))

    pair = attacked(Influence(), data, learner=learner)
    ((found, label),) = changes(pair).values()
    reached = size(np.array(found), label)
    labels = np.asarray(data.y).tolist()
    assert reached > max(size(x, y) for x, y in zip(data.X, labels, strict=True))
    assert reached > max(size(x, 1 - y) for x, y in zip(data.X, labels, strict=True))
    backdoor = target_of(attacked(ClipBkd(), data, learner=learner))
    assert reached > 1.5 * max(size(backdoor, y) for y in (0, 1))
    assert np.linalg.norm(found) <= data.domain.radius * (1 + 1e-9)
    (row,) = changes(pair)
    assert label == labels[row]
    distance = corner_distance(data.X)
    assert distance[row] == min(distance[i] for i in range(len(labels)) if labels[i] == label)


def test_influence_climbs_from_the_mean_of_the_other_class() -> None:
    learner = LogisticOutput()
    data = load_data("iris")
    data = data.within(learner.domain(data))
    ((found, label),) = changes(attacked(Influence(iterations=0), data, learner=learner)).values()
    start = data.X[np.asarray(data.y) != label].mean(axis=0)
    np.testing.assert_allclose(found, start, rtol=1e-5)  # attacks round what they compute to 6 digits
    surrogate = learner.surrogate(data)
    reached = [Influence(iterations=n).climb(surrogate, data, start, label) for n in (0, 1, 5, 200)]
    sizes = [size for size, _ in reached]
    # By Cholesky's factors in the climb and by Gauss's elimination here.
    np.testing.assert_allclose(sizes, [np.linalg.norm(influence(surrogate, x, label)) for _, x in reached], rtol=1e-9)
    assert all(later > 1.001 * sooner for sooner, later in pairwise(sizes))


def test_influence_takes_the_label_that_moves_more() -> None:
    learner = LogisticObjective()
    data = load_data("iris")
    data = data.within(learner.domain(data))
    surrogate, y = learner.surrogate(data), np.asarray(data.y)
    reached = [Influence().climb(surrogate, data, data.X[y != label].mean(axis=0), label)[0] for label in (0, 1)]
    ((found, label),) = changes(attacked(Influence(), data, learner=learner)).values()
    # Attacks round what they compute to 6 digits, and stay inside the ball by 1e-5 of its radius.
    assert np.linalg.norm(influence(surrogate, np.array(found), label)) == pytest.approx(max(reached), rel=1e-4)
    assert max(reached) > 1.1 * min(reached)


@dataclass(frozen=True, eq=False)
class Ridge:
    """Least squares with a penalty: nobody gave a closed form for its influence's gradient."""

    H: FloatArray
    theta: FloatArray

    def loss_gradient(self, x: FloatArray, label: int) -> FloatArray:
        return np.asarray((self.theta @ x - label) * x)

    def hessian(self) -> FloatArray:
        return self.H


@dataclass(frozen=True)
class RidgeLearner(PlainLearner):
    def surrogate(self, data: Dataset) -> Surrogate:  # type: ignore[override]
        H = data.X.T @ data.X + np.eye(data.X.shape[1])
        return Ridge(H, np.linalg.solve(H, data.X.T @ np.asarray(data.y)))


def test_a_surrogate_without_closed_form_is_climbed_by_differences() -> None:
    learner = RidgeLearner(ball=True)
    data = random_data(default_rng(5))
    data = data.within(learner.domain(data))
    surrogate = learner.surrogate(data)
    value, gradient = _Norm(surrogate)(data.X[0], 1)
    H, x = surrogate.hessian(), data.X[0]
    moved = np.linalg.solve(H, surrogate.loss_gradient(x, 1))
    assert isinstance(surrogate, Ridge)
    jacobian = np.linalg.solve(H, np.outer(x, surrogate.theta) + (surrogate.theta @ x - 1) * np.eye(len(x)))
    assert value == pytest.approx(np.linalg.norm(moved))
    np.testing.assert_allclose(gradient, jacobian.T @ moved / value, rtol=1e-6, atol=1e-9)
    pair = attacked(Influence(), data, learner=learner)
    ((found, label),) = changes(pair).values()
    reached = np.linalg.norm(influence(surrogate, np.array(found), label))
    assert reached > max(np.linalg.norm(influence(surrogate, row, label)) for row in data.X)


def test_influence_needs_a_surrogate() -> None:
    data = load_data("iris")
    with pytest.raises(InvalidInput, match="influence needs a learner with a surrogate, naive_bayes has none"):
        attacked(Influence(), data, learner=NaiveBayes())


# coefficient


@pytest.mark.parametrize("learner", [LogisticObjective(), LogisticOutput(C=1.0)], ids=["objective", "output"])
@pytest.mark.parametrize("rows", [1, 4])
def test_coefficient_brings_theta_closer_to_a_right_angle(rows: int, learner: Any) -> None:
    data = load_data("iris")
    data = data.within(learner.domain(data))
    theta = learner.surrogate(data).theta
    goal = default_rng(0).normal(size=len(theta))  # the attack's own generator, from the start
    goal -= theta * (goal @ theta) / (theta @ theta)
    goal *= np.linalg.norm(theta) / np.linalg.norm(goal)

    def distance(iterations: int) -> float:
        pair = attacked(Coefficient(iterations=iterations), data, rows, learner=learner)
        assert len(changes(pair)) == rows
        assert {label for _, label in changes(pair).values()} == {np.asarray(data.y)[next(iter(changes(pair)))]}
        return float(np.linalg.norm(learner.surrogate(pair.neighbour).theta - goal))

    start, some, all_ = distance(0), distance(5), distance(40)
    assert all_ <= some < start
    assert all_ < np.linalg.norm(theta - goal)


def test_coefficient_is_for_logistic_regression() -> None:
    for learner, name in ((NaiveBayes(), "naive_bayes"), (RidgeLearner(), "RidgeLearner")):
        with pytest.raises(InvalidInput, match=f"coefficient is an attack on logistic regression, got {name}"):
            attacked(Coefficient(), load_data("iris"), learner=learner)


# loss_threshold


def watched_by(attack: Any, learner: Mechanism) -> Mechanism:
    found: Mechanism = attack.observe(learner)
    return found


@pytest.mark.slow
def test_loss_threshold_watches_the_prediction_alone() -> None:
    data = load_data("iris")
    data = data.within(NaiveBayes().domain(data))
    pair = attacked(LossThreshold(), data, learner=NaiveBayes())
    learner = watched_by(LossThreshold(), NaiveBayes())
    model = learner.fit(data, SeedSequence(1))
    np.testing.assert_allclose(
        learner.summary(model, target_of(pair)), model.predict_proba(target_of(pair)[None, :])[:, 1], rtol=1e-9
    )
    draws = Sampler(learner, pair, 0, DrawingLoop(LokyEngine(1)), 40)(np.arange(40) % 2)
    assert draws.z.shape == (40, 1)
    assert set(draws.kinds) == {"1 number"}
    result = audit(NaiveBayes(), load_data("iris"), attack=LossThreshold(), rows=1, trainings=100)
    assert result.provenance.parameters == {
        "type": "AtTarget",
        "mechanism": {"type": "naive_bayes", "epsilon": 1.0, "relation": "replace-one", "counts": False},
    }
    assert (result.provenance.mechanism, result.attack) == ("naive_bayes", "loss_threshold")


@pytest.mark.parametrize("rows", [1, 3])
def test_loss_threshold_asks_for_a_row_that_only_d_has(rows: int) -> None:
    data = Dataset(default_rng(7).random((20, 2)), np.arange(20) % 2)
    for seed in range(10):
        pair = attacked(LossThreshold(), data, rows, seed=seed)
        changed = changed_rows(pair)
        assert len(changed) == rows
        assert any((data.X[i] == target_of(pair)).all() for i in changed)
        assert not (target_of(pair) == pair.neighbour.X).all(axis=1).any()
        np.testing.assert_array_equal(np.asarray(pair.neighbour.y), np.asarray(data.y))
        copies = {tuple(pair.neighbour.X[i]) for i in changed}
        assert len(copies) == 1
        assert copies <= {tuple(x) for x in data.X[np.asarray(data.y) == np.asarray(data.y)[changed[0]]]}


def test_loss_threshold_needs_a_learner_that_predicts() -> None:
    with pytest.raises(InvalidInput, match="PlainLearner gives no probabilities to look at"):
        LossThreshold().observe(PlainLearner())


def test_a_prediction_needs_a_target() -> None:
    learner = PredictionAt(LogisticOutput())
    with pytest.raises(InvalidInput, match="a prediction at the changed point needs a pair with a target, got none"):
        learner.summary(np.zeros(4), None)


def test_stored_draws_of_a_watched_learner_go_by_its_source(tmp_path: Any) -> None:
    source = """
from dataclasses import dataclass
from mlaudit.mechanisms.logistic_output import LogisticOutput

@dataclass(frozen=True)
class Mine(LogisticOutput):
    def probability(self, model, X):
        return super().probability(model, X) ** {power}
"""
    file = tmp_path / "mine.py"
    file.write_text(source.format(power=1), encoding="utf-8")
    learner = load_file(file).Mine()
    before = [fingerprint(seen) for seen in (learner, PredictionAt(learner), PredictionAt(replace(learner)))]
    file.write_text(source.format(power=2), encoding="utf-8")
    after = [fingerprint(seen) for seen in (learner, PredictionAt(learner))]
    assert before[1] == before[2] != before[0]
    assert not set(before) & set(after)


@pytest.mark.slow
def test_a_result_of_loss_threshold_can_be_confirmed(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = "run logistic_output --data iris --attack loss_threshold --rows 1 --trainings 200 --out one"
    assert main(run.split()) == 0
    assert main(["replay", "one/result.json", "--out", "two"]) == 0
    assert main(["replay", "one/result.json", "--mechanism", "logistic_output", "--out", "three", "--json"]) == 0
    assert capsys.readouterr().err == ""
    result = audit(LogisticOutput(), load_data("iris"), attack=LossThreshold(), rows=1, trainings=200)
    again = confirm(result, PredictionAt(LogisticOutput()), Progressive(), trainings=200, seed=1)
    assert again.finding.witness == result.finding.witness


# swap_x


def test_swap_x_keeps_labels_and_stays_among_the_rows() -> None:
    for seed in range(10):
        pair = attacked(SwapX(), SQUARE, 2, seed=seed)
        moved = changed_rows(pair)
        y = np.asarray(SQUARE.y)
        np.testing.assert_array_equal(np.asarray(pair.neighbour.y), y)
        (own,) = set(y[moved])
        foreign = {tuple(x) for x in SQUARE.X[y != own]}
        assert {tuple(pair.neighbour.X[i]) for i in moved} <= foreign
        assert len({tuple(pair.neighbour.X[i]) for i in moved}) == 1
        assert tuple(target_of(pair)) in foreign


# all of them


@pytest.mark.parametrize(
    ("attack", "name"),
    [
        (PriorFlip(), "prior_flip"),
        (MeanCorner(), "mean_corner"),
        (LoneFlip(), "lone_flip"),
        (ClipBkd(), "clip_bkd"),
        (Influence(), "influence"),
        (Coefficient(), "coefficient"),
        (LossThreshold(), "loss_threshold"),
    ],
    ids=str,
)
@pytest.mark.parametrize("labels", [None, [0] * 8], ids=["none", "one"])
def test_an_attack_on_classes_says_so(attack: Attack, name: str, labels: Any) -> None:
    got = 0 if labels is None else 1
    with pytest.raises(
        InvalidInput, match=f"^{name} needs labels of two classes.*, got {got}; choose another attack"
    ):
        attacked(attack, Dataset(SQUARE.X, labels), learner=PlainLearner())


THREE = [0, 1, 2, 0, 1, 2, 0, 1]


@pytest.mark.parametrize("attack", [Coefficient(), LossThreshold()], ids=str)
def test_an_attack_on_two_classes_says_so(attack: Attack) -> None:
    with pytest.raises(InvalidInput, match="needs labels of two classes, got 3; choose another attack"):
        attacked(attack, Dataset(SQUARE.X, THREE), learner=PlainLearner())


@pytest.mark.parametrize(
    "attack", [PriorFlip(), LoneFlip(), MeanCorner(), CornerFlip(), ClipBkd(), Mislabelled(), Influence()], ids=str
)
def test_an_attack_makes_legal_pairs_of_three_classes(attack: Attack) -> None:
    learner = LogisticOutput()
    data = Dataset(SQUARE.X, THREE, L2Ball.enclosing(SQUARE.X, (0, 1, 2)))
    pair = attack(learner, data, 1, default_rng(0))
    assert pair.rows == 1
    assert pair.base.digest == data.digest


@pytest.mark.parametrize("attack", [PriorFlip(), LoneFlip(), CornerFlip(), ClipBkd(), Influence()], ids=str)
def test_an_attack_on_classes_refuses_numbers_to_predict(attack: Attack) -> None:
    data = Dataset(default_rng(0).random((30, 2)), np.arange(30) / 7)
    with pytest.raises(InvalidInput, match="classes or more, got 30 numbers to be predicted; choose another attack"):
        attack(LogisticOutput(), data, 1, default_rng(0))


def test_a_flip_of_several_classes_goes_to_the_one_farthest_away() -> None:
    X, y = [[0.0, 0.0], [0.1, 0.1], [0.2, 0.0], [0.3, 0.2], [1.0, 1.0], [0.9, 0.9]], ["a", "a", "b", "b", "c", "c"]
    pair = PriorFlip()(PlainLearner(), Dataset(X, y), 1, default_rng(0))
    flipped = int(np.flatnonzero(np.asarray(pair.base.y) != np.asarray(pair.neighbour.y))[0])
    assert (y[flipped], np.asarray(pair.neighbour.y)[flipped]) == ("a", "c")


@pytest.mark.parametrize(
    "attack", [PriorFlip(), LoneFlip(), MeanCorner(), ClipBkd(), Influence(), Coefficient()], ids=str
)
def test_labels_may_be_words(attack: Attack) -> None:
    words = np.where(np.asarray(SQUARE.y) == 1, "yes", "no")
    plain = attacked(attack, Dataset(SQUARE.X, SQUARE.y))
    spelt = attacked(attack, Dataset(SQUARE.X, words))
    np.testing.assert_allclose(plain.neighbour.X, spelt.neighbour.X, rtol=1e-9)
    np.testing.assert_array_equal(np.asarray(plain.neighbour.y) == 1, np.asarray(spelt.neighbour.y) == "yes")
