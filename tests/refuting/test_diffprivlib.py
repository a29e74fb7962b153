"""A total leak that an audit of the user's data misses: diffprivlib's GaussianNB without bounds."""

from pathlib import Path

import pytest

from mlaudit import Claim, Dataset, Search, refute
from mlaudit.auditing.arguments import resolve_data
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.surroundings import restore_surroundings
from mlaudit.testing import PrivacyViolation, assert_private

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
