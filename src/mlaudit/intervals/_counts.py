"""Validation of the counts that every interval takes."""

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers, whole_numbers
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import quote, real, whole


def check_counts(
    hits: object, false_hits: object, trials: object, false_trials: object, alpha: object, delta: object
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return hits and false hits as arrays of counts and δ as an array of numbers of at least 0, or raise.

    >>> check_counts(5, 0, 4, 4, 0.05, 0.0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: hits must be counts from 0 to 4, the number of trials, got 5
    """
    real("alpha", alpha, 0, 1)
    found = []
    for name, value, most in (("hits", hits, trials), ("false_hits", false_hits, false_trials)):
        there = whole("trials" if name == "hits" else "false_trials", most, 1)
        counts = whole_numbers(name, value)
        if not ((counts >= 0) & (counts <= there)).all():
            raise InvalidInput(f"{name} must be counts from 0 to {there}, the number of trials, got {quote(value)}")
        found.append(counts)
    shift = numbers("delta", delta)
    if not (shift >= 0).all():
        raise InvalidInput(f"delta must be at least 0, got {quote(delta)}")
    try:
        np.broadcast(*found, shift)
    except ValueError:
        shapes = ", ".join(str(part.shape) for part in (*found, shift))
        raise InvalidInput(f"hits, false_hits and delta must be of one shape, got {shapes}") from None
    return found[0], found[1], shift
