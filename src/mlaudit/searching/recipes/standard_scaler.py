"""diffprivlib's StandardScaler, by hand."""

from mlaudit.mechanisms import standard_scaler as learner
from mlaudit.searching.recipe import Recipe, bounds, of_diffprivlib
from mlaudit.types.domain import Domain


def standard_scaler(mechanism: learner.StandardScaler, domain: Domain | None) -> Recipe:
    """Its fit, and the numbers that were audited."""
    settings = {"epsilon": mechanism.epsilon, "bounds": bounds(domain)}
    return of_diffprivlib(
        "StandardScaler",
        settings,
        "X",
        "return np.concatenate([model.mean_, model.var_])",
    )
