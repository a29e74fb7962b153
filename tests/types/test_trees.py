"""Every leaf of a tree is a number of its own, with a name, and a script that stands alone reads the same numbers."""

from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence
from sklearn.ensemble import AdaBoostRegressor, BaggingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from mlaudit import Claim, Dataset, EstimatorMechanism
from mlaudit.adapters.helpers.mlaudit_serve import to_plain
from mlaudit.types.readings import name_numbers, read_output
from mlaudit.types.trees import find_leaf, read_trees, tree_arrays, trees_of

X = np.random.default_rng(0).random((60, 3))
Y = (X[:, 0] > X[:, 1]).astype(int)
POINT = np.array([0.3, 0.2, 0.9])


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(4, max_depth=2),
        RandomForestClassifier(3),
        GradientBoostingRegressor(n_estimators=2),
        AdaBoostRegressor(n_estimators=2),
        LogisticRegression(),
    ],
)
@pytest.mark.parametrize("target", [POINT, None])
def test_a_script_that_stands_alone_reads_the_same_numbers(estimator: Any, target: Any) -> None:
    fixed = type(estimator)(**{**estimator.get_params(deep=False), "random_state": 7})
    mechanism = EstimatorMechanism(fixed, Claim(1.0))
    recipe = mechanism.recipe(None)
    lines = "\n".join(f"    {line}" for line in recipe.body.splitlines())
    scope: dict[str, Any] = {"np": np, **({} if target is None else {"TARGET": target})}
    exec("\n".join([*recipe.imports, "def output(X, y, seed):", lines]), scope)
    wanted = read_output(mechanism.summary(fixed.fit(X, Y), target))
    assert wanted is not None
    np.testing.assert_allclose(scope["output"](X, Y, 7), wanted.numbers)


def test_every_leaf_has_a_place_and_a_name() -> None:
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    found = read_trees(model, None)
    leaf = model.tree_.children_left < 0
    for column in (0, 1):
        values = found[f"trees[0].leaves.column[{column}]"]
        assert values[: leaf.sum()].tolist() == model.tree_.value[leaf, 0, column].tolist()
    assert found["trees[0].leaves.rows"].sum() == len(X)
    assert "output.trees[0].leaves.column[1][3]" in name_numbers(found)


def test_the_leaf_of_the_target_is_that_of_the_library() -> None:
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y).tree_
    points = np.random.default_rng(1).random((50, 3))
    assert [find_leaf(tree_arrays(tree), one) for one in points] == tree.apply(points.astype(np.float32)).tolist()


def test_trees_of_any_size_give_equally_many_numbers() -> None:
    grown = [RandomForestClassifier(2, max_depth=6, random_state=0).fit(X[:n], Y[:n]) for n in (10, 60)]
    assert grown[0].estimators_[0].tree_.node_count < grown[1].estimators_[0].tree_.node_count
    lengths = {name: {len(read_trees(one, POINT)[name]) for one in grown} for name in read_trees(grown[0], POINT)}
    assert all(len(found) == 1 for found in lengths.values())


def test_a_large_forest_is_folded_and_nothing_is_lost() -> None:
    many, labels = np.random.default_rng(2).random((4000, 3)), np.random.default_rng(3).integers(2, size=4000)
    forest = RandomForestClassifier(12, max_depth=12, random_state=0).fit(many, labels)
    found = read_trees(forest, None)
    assert sum(map(len, found.values())) <= 16_384
    assert sum(one.tree_.n_leaves > len(found["trees[0].leaves.rows"]) for one in forest.estimators_) > 0
    for at, tree in enumerate(trees_of(forest)):
        leaf = tree.children_left < 0
        np.testing.assert_allclose(found[f"trees[{at}].leaves.column[1]"].sum(), tree.value[leaf, 0, 1].sum())


def test_an_ensemble_of_other_learners_has_no_trees() -> None:
    assert trees_of(BaggingClassifier(LogisticRegression(), n_estimators=2).fit(X, Y)) == []


def test_a_function_may_return_a_forest() -> None:
    output = read_output(RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, Y))
    assert output is not None
    assert len(output.numbers) > 2 * 3


def test_the_data_of_a_mechanism_with_trees_are_summarised_at_the_target() -> None:
    mechanism = EstimatorMechanism(RandomForestClassifier(2, max_depth=2), Claim(1.0))
    model = mechanism.fit(Dataset(X, y=Y), SeedSequence(0))
    assert mechanism.summary(model, POINT)["trees[1].at_target"].shape == (2,)


def test_a_served_forest_has_its_leaves() -> None:
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, Y)
    sent = to_plain(forest)["estimators_"][1]["tree_"]
    assert sent["value"] == forest.estimators_[1].tree_.value.tolist()
