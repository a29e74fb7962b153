"""What to call a learned rule in a result."""

from mlaudit.classifiers.additive import AdditiveScorer
from mlaudit.classifiers.boosting import TreesScorer
from mlaudit.classifiers.coordinate import CoordinateScorer
from mlaudit.classifiers.logistic import LinearScorer
from mlaudit.classifiers.steps import StepsScorer
from mlaudit.distinguish.distinguisher import KindScorer
from mlaudit.distinguish.panel import PanelScorer

_NAMES: dict[type, str] = {
    LinearScorer: "logistic regression",
    TreesScorer: "boosted trees",
    CoordinateScorer: "one coordinate",
    StepsScorer: "steps of one coordinate",
}


def name_rule(scorer: object) -> str:
    """Return the name of the rule that guessed; "" for a rule of the user's own.

    >>> import numpy as np
    >>> name_rule(LinearScorer(np.zeros(1), np.ones(1), np.ones(1), 0.0))
    'logistic regression'
    """
    if isinstance(scorer, AdditiveScorer):
        return scorer.rule
    if isinstance(scorer, PanelScorer):
        # Each member stands there twice, with its log-odds halved and as they are.
        weights = scorer.weights.reshape(-1, len(scorer.members)).sum(axis=0)
        best = int(weights.argmax())
        return f"mixture of {len(weights)} rules, most of all {name_rule(scorer.members[best])}"
    if isinstance(scorer, KindScorer):
        names = dict.fromkeys(name_rule(one) for one in scorer.scorers if one is not None)
        return "; ".join(name for name in names if name) or "kinds of output by their frequency"
    return _NAMES.get(type(scorer), "")
