"""diffprivlib's LinearRegression, by hand."""

from mlaudit.mechanisms import linear_regression as learner
from mlaudit.searching.recipe import Recipe, bounds, classes, of_diffprivlib
from mlaudit.types.domain import Domain


def linear_regression(mechanism: learner.LinearRegression, domain: Domain | None) -> Recipe:
    """Its fit, and the numbers that were audited."""
    settings = {
        "epsilon": mechanism.epsilon,
        "bounds_X": bounds(domain),
        "bounds_y": (min(classes(domain)), max(classes(domain))),
        "fit_intercept": mechanism.intercept,
    }
    last = "model.intercept_" if mechanism.intercept else "[]"
    return of_diffprivlib(
        "LinearRegression",
        settings,
        "X, y",
        f"return np.append(np.ravel(model.coef_), {last})",
    )
