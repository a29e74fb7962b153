"""A library's learner: diffprivlib's Gaussian Naive Bayes, its own fit called for every training.

mlaudit run examples/diffprivlib_naive_bayes.py:naive_bayes --epsilon 1 --data iris
"""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import GaussianNB

from mlaudit import Box, Claim, EstimatorMechanism

# Named datasets are scaled to [0, 1]; in general bounds are public knowledge, and never taken from the rows.
LOW, HIGH = np.zeros(4), np.ones(4)


def naive_bayes(epsilon: float) -> EstimatorMechanism:
    """The learner at a given ε: `--epsilon` is passed in, so that claim and training agree."""
    learner = GaussianNB(epsilon=epsilon, bounds=(LOW, HIGH), accountant=BudgetAccountant())
    return EstimatorMechanism(learner, Claim(epsilon), bounds=Box(LOW, HIGH, labels=(0, 1)))
