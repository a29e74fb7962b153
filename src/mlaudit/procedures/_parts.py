"""What procedures are made of, checked when they are made."""

from mlaudit.errors import InvalidInput
from mlaudit.protocols import Classifier
from mlaudit.types.checks import having, several


def classifiers_of(given: object) -> tuple[Classifier, ...]:
    """The classifiers, at least one.

    >>> classifiers_of([])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: classifiers must be at least one, got none; leave them out for the usual ones
    """
    found = several("classifiers", given, "classifiers")
    if not found:
        raise InvalidInput("classifiers must be at least one, got none; leave them out for the usual ones")
    return tuple(having("a classifier", one, "an object", ["fit"]) for one in found)
