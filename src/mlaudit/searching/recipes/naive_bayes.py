"""diffprivlib's GaussianNB, by hand."""

from mlaudit.mechanisms import naive_bayes as learner
from mlaudit.searching.recipe import Recipe, bounds, of_diffprivlib
from mlaudit.types.domain import Domain


def naive_bayes(mechanism: learner.NaiveBayes, domain: Domain | None) -> Recipe:
    """Its fit, and the numbers that were audited."""
    settings = {"epsilon": mechanism.epsilon, "bounds": bounds(domain)}
    counts = ", model.class_count_" if mechanism.counts else ""
    return of_diffprivlib(
        "GaussianNB",
        settings,
        "X, y",
        "share = model.class_prior_[:, None]",
        f"parts = [share * model.theta_, share * model.var_, share{counts}]",
        "return np.concatenate([np.ravel(part) for part in parts])",
    )
