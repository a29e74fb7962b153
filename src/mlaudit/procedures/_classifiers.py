"""The classifiers that a procedure takes: the usual ones, and validation of others."""

from mlaudit.classifiers.additive import Additive
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.coordinate import Coordinate
from mlaudit.classifiers.logistic import Logistic
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Classifier
from mlaudit.types.checks import several, with_methods

# The first is for added noise of any common shape. The second also finds sums of coordinates that have no noise; the
# first takes these for chance. The third finds one coordinate of thousands. The last is for interactions and atoms.
PANEL: tuple[Classifier, ...] = (Additive(), Logistic(), Coordinate(), Boosting(trees=30, learning_rate=0.2))


def check_classifiers(given: object) -> tuple[Classifier, ...]:
    """Return the classifiers as a tuple, or raise if there is none or one cannot fit.

    >>> check_classifiers([])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: classifiers must be at least one, got none; leave them out for the usual ones
    """
    found = several("classifiers", given, "classifiers")
    if not found:
        raise InvalidInput("classifiers must be at least one, got none; leave them out for the usual ones")
    return tuple(with_methods("a classifier", one, "an object", ["fit"]) for one in found)
