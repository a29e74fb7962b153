"""diffprivlib's DecisionTreeClassifier, by hand."""

from mlaudit.mechanisms import decision_tree as learner
from mlaudit.searching.recipe import Recipe, bounds, classes, of_diffprivlib
from mlaudit.types.domain import Domain


def decision_tree(mechanism: learner.DecisionTree, domain: Domain | None) -> Recipe:
    """Its fit, and the number that was audited."""
    settings = {
        "max_depth": mechanism.depth,
        "epsilon": mechanism.epsilon,
        "bounds": bounds(domain),
        "classes": classes(domain),
    }
    return of_diffprivlib(
        "DecisionTreeClassifier",
        settings,
        "X, y",
        "return model.predict(np.array([TARGET], dtype=np.float32)).astype(float)",
    )
