"""diffprivlib's PCA, by hand."""

from mlaudit.mechanisms import pca as learner
from mlaudit.searching.recipe import Recipe, bounds, norm, of_diffprivlib
from mlaudit.types.domain import Domain


def pca(mechanism: learner.PCA, domain: Domain | None) -> Recipe:
    """Its fit, and the numbers that were audited."""
    settings = {
        "n_components": mechanism.components,
        "epsilon": mechanism.epsilon,
        "bounds": bounds(domain),
        "data_norm": norm(domain),
    }
    return of_diffprivlib(
        "PCA",
        settings,
        "X",
        "parts = [model.mean_, model.explained_variance_, model.components_]",
        "return np.concatenate([np.ravel(part) for part in parts])",
    )
