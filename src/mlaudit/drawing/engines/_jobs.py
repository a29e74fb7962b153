"""How many worker processes there may be."""

from mlaudit.types.checks import whole

_MOST = 1024  # on one machine: more would be a slip of the finger, and bring it down


def jobs_of(given: object) -> int:
    """A number of worker processes.

    >>> jobs_of(0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: jobs must be a whole number of at least 1, got 0; give the number of worker processes
    """
    return whole("jobs", given, 1, "give the number of worker processes", _MOST)
