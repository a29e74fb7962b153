"""Check the engine, the procedure and the progress function that a user gives, before anything is drawn."""

from typing import Any

from mlaudit.drawing.progress import Progress, as_progress
from mlaudit.protocols import Engine, Procedure
from mlaudit.types.checks import function, with_methods


def check_engine(given: Any) -> Engine:
    """The engine, if it can run trainings.

    >>> check_engine("loky")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: engine must be an engine with a method map_unordered, got str; write LokyEngine(2)
    """
    checked: Engine = with_methods("engine", given, "an engine", ["map_unordered"], "write LokyEngine(2)")
    return checked


def check_procedure(given: Any) -> Procedure:
    """The procedure, if it can audit and confirm.

    >>> check_procedure("two_phase")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: procedure must be an object with a method confirm, got str; write TwoPhase()
    """
    checked: Procedure = with_methods("procedure", given, "an object", ["confirm"], "write TwoPhase()")
    return checked


def check_progress(given: Any) -> Progress:
    """What receives the progress: a `Progress`, a plain function, or nothing if none is given."""
    checked = given if given is None else function("progress", given, "a function of (trainings, cpu_seconds)")
    return as_progress(checked)
