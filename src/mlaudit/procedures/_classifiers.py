"""Validation of the classifiers that a procedure takes."""

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Classifier
from mlaudit.types.checks import several, with_methods


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
