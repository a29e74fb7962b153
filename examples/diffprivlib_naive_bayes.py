"""A library's learner: diffprivlib's Gaussian Naive Bayes, its own fit called for every training.

mlaudit run examples/diffprivlib_naive_bayes.py:naive_bayes --epsilon 1 --data iris
"""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import GaussianNB

from mlaudit import Box, Claim, EstimatorMechanism

# Public knowledge about flowers, in centimetres: bounds must never be taken from the data.
LOW, HIGH = np.array([4.0, 1.5, 0.5, 0.0]), np.array([8.0, 5.0, 7.0, 3.0])


def naive_bayes(epsilon: float) -> EstimatorMechanism:
    """The learner at a given ε: `--epsilon` is passed in, so that claim and training agree."""
    learner = GaussianNB(epsilon=epsilon, bounds=(LOW, HIGH), accountant=BudgetAccountant())
    return EstimatorMechanism(learner, Claim(epsilon), bounds=Box(LOW, HIGH, labels=(0, 1)))
