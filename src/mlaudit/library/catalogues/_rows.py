"""The small datasets that catalogues share."""

import numpy as np
from numpy.random import default_rng

from mlaudit.refuting.whole_numbers import WholeNumbers
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair

_UNIT, _SQUARE = Box([0.0], [1.0]), Box([0.0, 0.0], [1.0, 1.0])
BITS = Dataset([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], domain=_UNIT, name="six bits")
VALUES = Dataset(default_rng(0).random(30), domain=_UNIT, name="thirty values in [0, 1]")
POINTS = Dataset(default_rng(1).random((30, 2)), domain=_SQUARE, name="thirty points")
LABELLED = Dataset(
    default_rng(2).random((40, 2)),
    np.arange(40) % 2,
    domain=Box([0.0, 0.0], [1.0, 1.0], labels=(0, 1)),
    name="forty labelled points",
)
REPLACED, ADDED = Claim(1.0), Claim(1.0, relation=Relation.ADD_REMOVE)
# For local privacy, where one user's value is all the data.
ONE_OF_EIGHT = Dataset([0.0], domain=WholeNumbers(0, 7), name="one user's value of eight")
FIRST_OR_LAST = Pair(ONE_OF_EIGHT, ONE_OF_EIGHT.with_rows(np.array([[7.0]])))
