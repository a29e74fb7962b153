"""diffprivlib's RandomForestClassifier, by hand."""

from mlaudit.mechanisms import random_forest as learner
from mlaudit.searching.recipe import Recipe, bounds, classes, of_diffprivlib
from mlaudit.types.domain import Domain


def random_forest(mechanism: learner.RandomForest, domain: Domain | None) -> Recipe:
    """Its fit, and the numbers that were audited."""
    settings = {
        "n_estimators": mechanism.trees,
        "max_depth": mechanism.depth,
        "epsilon": mechanism.epsilon,
        "bounds": bounds(domain),
        "classes": classes(domain),
    }
    return of_diffprivlib(
        "RandomForestClassifier",
        settings,
        "X, y",
        "point = np.array([TARGET], dtype=np.float32)",
        "return np.array([tree.predict(point)[0] for tree in model.estimators_], dtype=float)",
    )
