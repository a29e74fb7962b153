"""Keep the finalists of a search unlike each other."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from itertools import zip_longest

from mlaudit.search.candidate import Candidate
from mlaudit.search.crafting import plain_name

_PER_MOVE = 2  # candidates of the same move on other datasets
_DIGITS = 9  # of a score


def drop_repeated_pairs(candidates: list[Candidate]) -> list[Candidate]:
    """Drop candidates whose pair an earlier one has."""
    return _keep_first(candidates, lambda one: one.digests)


def drop_equal_scores(candidates: list[Candidate]) -> list[Candidate]:
    """Drop candidates whose score equals an earlier one to 9 digits: the same pair in another form."""
    return _keep_first(candidates, lambda one: (one.pair.base.X.shape[1], round(one.score, _DIGITS)))


def limit_per_move(candidates: list[Candidate]) -> list[Candidate]:
    """Keep at most two candidates of each move, so that other moves have a chance; see `mix_widths`."""
    seen: Counter[str] = Counter()
    kept = []
    for one in candidates:
        name = plain_name(one.attack)
        seen[name] += 1
        if seen[name] <= _PER_MOVE:
            kept.append(one)
    return mix_widths(kept)


def mix_widths(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Sort the best of each number of columns first, then the second of each, and so on.

    A shift in units of noise is not a loss: with outputs of another width it may be larger and show less. The audit's
    own pilots choose between the widths.
    """
    groups: dict[int, list[Candidate]] = {}
    for one in candidates:
        groups.setdefault(one.pair.base.X.shape[1], []).append(one)
    return [one for row in zip_longest(*groups.values()) for one in row if one is not None]


def _keep_first(candidates: list[Candidate], key: Callable[[Candidate], Hashable]) -> list[Candidate]:
    first: dict[Hashable, Candidate] = {}
    for one in candidates:
        first.setdefault(key(one), one)
    return list(first.values())
