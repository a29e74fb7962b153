"""diffprivlib's LogisticRegression, by hand."""

from mlaudit.mechanisms import logistic_objective as learner
from mlaudit.searching.recipe import Recipe, norm, of_diffprivlib
from mlaudit.types.domain import Domain


def logistic_objective(mechanism: learner.LogisticObjective, domain: Domain | None) -> Recipe:
    """Its fit, and the numbers that were audited."""
    settings = {
        "epsilon": mechanism.epsilon,
        "data_norm": norm(domain),
        "C": mechanism.C,
        "fit_intercept": mechanism.intercept,
    }
    last = "model.intercept_" if mechanism.intercept else "[]"
    return of_diffprivlib(
        "LogisticRegression",
        settings,
        "X, y",
        f"return np.append(np.ravel(model.coef_), {last})",
    )
