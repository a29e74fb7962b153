"""diffprivlib's KMeans, by hand."""

from mlaudit.mechanisms import k_means as learner
from mlaudit.searching.recipe import Recipe, bounds, of_diffprivlib
from mlaudit.types.domain import Domain


def k_means(mechanism: learner.KMeans, domain: Domain | None) -> Recipe:
    """Its fit, and the numbers that were audited."""
    settings = {"n_clusters": mechanism.clusters, "epsilon": mechanism.epsilon, "bounds": bounds(domain)}
    return of_diffprivlib(
        "KMeans",
        settings,
        "X",
        "return np.ravel(model.cluster_centers_)",
    )
