"""The parts that a user hands to a verb, checked before anything is drawn."""

from typing import Any

from mlaudit.protocols import Engine, Procedure
from mlaudit.sampling import Progress
from mlaudit.types.checks import function, having


def the_engine(given: Any) -> Engine:
    """What runs trainings.

    >>> the_engine("loky")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: engine must be an engine with a method map_unordered, got str; write JoblibEngine(2)
    """
    made: Engine = having("engine", given, "an engine", ["map_unordered"], "write JoblibEngine(2)")
    return made


def the_procedure(given: Any) -> Procedure:
    """What draws and bounds.

    >>> the_procedure("two_phase")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: procedure must be an object with a method confirm, got str; write TwoPhase()
    """
    made: Procedure = having("procedure", given, "an object", ["confirm"], "write TwoPhase()")
    return made


def the_progress(given: Any) -> Progress:
    """What is told of every training; without one, nobody."""
    if given is None:
        return lambda *_: None
    told: Progress = function("progress", given, "a function of (trainings, cpu_seconds)")
    return told
