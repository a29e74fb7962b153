"""Leaks that an audit of the user's data misses: missing bounds of diffprivlib's GaussianNB, a leaf of a tree."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlaudit import Claim, Dataset, Pair, Relation, Search, refute, scan
from mlaudit.auditing.arguments import resolve_data
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.surroundings import restore_surroundings
from mlaudit.library.catalogues._rows import LABELLED
from mlaudit.testing import PrivacyViolation, assert_private
from mlaudit.types.edits import remove_rows

models = pytest.importorskip("diffprivlib.models")

IRIS = resolve_data("iris", None)


@pytest.mark.slow
@pytest.mark.parametrize("data", [IRIS, None], ids=["iris", "no data"])
def test_bounds_that_are_missing_are_found(data: Dataset | None) -> None:
    learner = models.GaussianNB(epsilon=1.0)
    result = refute(learner, data, claim=Claim(1.0), effort="smoke", engine=InProcess())
    assert result.violated
    assert {"var_", "theta_", "bounds"} & {*result.findings[0].place.split(", ")}
    # The line that takes the bounds from the data.
    assert any("self.bounds = " in line.site.source for line in result.findings[0].lines)
    assert any("Bounds have not been specified" in note for note in result.notes)


@pytest.mark.slow
def test_assert_private_fails_without_bounds_and_passes_with_them_on_iris(tmp_path: Path) -> None:
    assert isinstance(IRIS, Dataset)
    with pytest.raises(PrivacyViolation, match="Bounds have not been specified"):
        assert_private(models.GaussianNB(epsilon=1.0), IRIS, epsilon=1.0, witness=tmp_path / "w.json")
    learner = models.GaussianNB(epsilon=1.0, bounds=(IRIS.X.min(axis=0), IRIS.X.max(axis=0)))
    # Fails for a correct program with probability < 1e-6: the flake rate.
    passed = assert_private(learner, IRIS, epsilon=1.0, attack=Search(), trainings=200, flake_rate=1e-6)
    assert [one.detector for one in passed.attempts] == ["given"]


def test_the_accountant_of_the_process_forgets_every_training() -> None:
    accountant = pytest.importorskip("diffprivlib.accountant").BudgetAccountant
    accountant.pop_default()
    for _ in range(2):
        with restore_surroundings([1, 2]):
            models.PCA(1, bounds=(0, 1), data_norm=1.0).fit([[0.0], [0.5], [1.0]])
    assert accountant.pop_default() is None
    own = accountant().set_default()
    try:
        with restore_surroundings([1, 2]):
            models.PCA(1, bounds=(0, 1), data_norm=1.0).fit([[0.0], [0.5], [1.0]])
        assert len(own) == 1
    finally:
        accountant.pop_default()


class OneLeafTells(models.DecisionTreeClassifier):  # type: ignore[misc, name-defined]
    """A healthy tree, but for one leaf: its label is whether the number of rows is odd."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: Any = True) -> Any:
        super().fit(X, y)
        leaf = np.flatnonzero(self.tree_.children_left < 0)[-3]
        self.tree_.value[leaf, 0] = [1 - len(y) % 2, len(y) % 2]
        return self


def make_tree(kind: Any, depth: int) -> Any:
    return kind(max_depth=depth, bounds=(np.zeros(2), np.ones(2)), classes=[0, 1])


@pytest.mark.slow
def test_a_leaf_far_from_the_changed_row_is_looked_at() -> None:
    depth = 6  # 127 nodes, with two numbers each: more than the entries that are read of other arrays
    claim = Claim(1.0, relation=Relation.ADD_REMOVE)
    found = scan(make_tree(OneLeafTells, depth), LABELLED, claim=claim, pilot=10, trainings=100, engine=InProcess())
    assert found.violated
    leaf = 2 ** (depth + 1) - 5  # nodes are numbered from the root, the upper side first
    assert any(leak.suspect.clues[0].path.startswith(f"tree_.values[{leaf}, 0, ") for leak in found.above)
    # Fails for a correct program with probability < 1e-6: the α of the scan of the library's tree.
    healthy = make_tree(models.DecisionTreeClassifier, depth)
    assert not scan(healthy, LABELLED, claim=claim, pilot=10, trainings=100, alpha=1e-6, engine=InProcess()).violated


@pytest.mark.slow
def test_the_summary_of_a_tree_shows_a_leaf_far_from_the_changed_row() -> None:
    claim = Claim(1.0, relation=Relation.ADD_REMOVE)
    pair = Pair(LABELLED, remove_rows(LABELLED, [0]))
    learner = make_tree(OneLeafTells, 3)
    result = refute(learner, pair=pair, claim=claim, effort="smoke", trainings=200, engine=InProcess())
    assert result.violated
    places = {finding.place for finding in result.findings}
    assert places & {"trees[].leaves.column", "tree_.values"}
