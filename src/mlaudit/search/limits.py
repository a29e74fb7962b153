"""Limits of a search: the most steps between D and D′ with which the claim can be refuted."""

from math import inf
from typing import Protocol

from mlaudit.types.claim import Claim


class Ceiling(Protocol):
    """The largest bound that a procedure can give."""

    def __call__(self, *, steps: int, trainings: int) -> float:
        """The ceiling for a pair so many steps apart and so many trainings."""


def count_most_steps(
    ceiling: Ceiling | None, claim: Claim, rows: tuple[int, ...], fewest: int, trainings: int
) -> float:
    """Count the most steps whose ceiling is above the claim: with more, no outcome could refute it.

    A ceiling falls as steps rise. It limits nothing where even the fewest steps could not refute the claim.

    Args:
        ceiling: The largest bound for a number of steps; None if the procedure does not know it.
        claim: The claim to refute.
        rows: Numbers of rows that may be changed; each is one step, or two.
        fewest: The fewest steps that a pair can be apart.
        trainings: The trainings that will count.

    Returns:
        The most steps, or infinity for no limit.

    Example:
        >>> top = lambda steps, trainings: 6.0 / steps
        >>> [count_most_steps(top, Claim(epsilon), (1, 2, 4, 8), 1, 1000) for epsilon in (0.5, 1.0, 2.5, 7.0)]
        [8, 4, 2, inf]
    """
    if ceiling is None:
        return inf
    counts = sorted({steps for k in rows for steps in (k, 2 * k) if steps >= fewest})
    able = [steps for steps in counts if ceiling(steps=steps, trainings=trainings) > claim.epsilon]
    return max(able) if fewest in able else inf
