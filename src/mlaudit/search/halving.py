"""Successive halving: measure many candidates on few pilots, keep the better half, and measure it on more."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

Entrant = TypeVar("Entrant")
# Ranks the entrants of a round, which counts from 0, the best first; None if the round cannot be paid for.
Rank = Callable[[list[Entrant], int], list[Entrant] | None]


def halve_field(field: Sequence[Entrant], rank: Rank[Entrant], fewest: int = 1) -> list[Entrant]:
    """Rank all entrants, then the better half, and so on.

    Args:
        field: All entrants.
        rank: Ranks the entrants of a round. It ends the halving by returning None.
        fewest: No round has fewer entrants than this, unless the field has.

    Returns:
        All entrants, the best first. Dropped ones stay behind those that were kept, in the order of the last round
        that ranked them.

    Example:
        >>> def rank(numbers, at):
        ...     print(at, numbers)
        ...     return sorted(numbers)
        >>> halve_field([3, 1, 4, 5, 2], rank)
        0 [3, 1, 4, 5, 2]
        1 [1, 2, 3]
        2 [1, 2]
        3 [1]
        [1, 2, 3, 4, 5]
    """
    left, kept, at = list(field), len(field), 0
    while (ranked := rank(left[:kept], at)) is not None:
        left = [*ranked, *left[kept:]]
        if kept <= fewest:
            break
        kept, at = max(fewest, math.ceil(kept / 2)), at + 1
    return left
