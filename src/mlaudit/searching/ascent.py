"""Climbing from a good point to a better one, by an evolution strategy on the pilots' own score.

All pilots share their seeds, so that the score is a fixed function of the point: what climbs it climbs no noise of
the moment. Learners with a surrogate are climbed by its gradient instead, in the attack `influence`.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.searching.halving import Contest, Entry, affordable
from mlaudit.searching.region import ends
from mlaudit.types.arrays import FloatArray

_PILOTS = 8
_BROOD = 4  # points tried side by side
_BETTER = 1.01  # less is not worth another point
_FINEST = 0.02  # of the domain's width


def climbed(contest: Contest, start: Entry, budget: int, rng: Generator) -> Entry:
    """The best entry found from there with at most `budget` pilots; the start itself where nothing is better."""
    ended, sigma = contest.pilots.spent + budget, 0.5
    best = contest.scored([start], _PILOTS)[0] if affordable(contest, [start], _PILOTS, ended) else start
    while best.move.elsewhere is not None and best.move.at is not None and sigma > _FINEST:
        points = [_mutant(best, sigma, rng) for _ in range(_BROOD)]
        brood = [e for e in (contest.entry(best.move.elsewhere(x)) for x in points) if e is not None]
        if not brood or not affordable(contest, brood, _PILOTS, ended):
            break
        winner = contest.scored(brood, _PILOTS)[0]
        if winner.score > _BETTER * best.score:
            best, sigma = winner, min(1.0, 1.5 * sigma)
        else:
            sigma /= 1.5
    return best


def _mutant(entry: Entry, sigma: float, rng: Generator) -> FloatArray:
    """A step in every column, or some columns thrown to a bound: extremes are where sensitivities are reached."""
    x, (low, high) = np.asarray(entry.move.at), ends(entry.pair.base)
    if rng.random() < 0.5:
        return np.asarray(x + sigma * (high - low) * rng.normal(size=len(x)) / np.sqrt(len(x)))
    thrown = rng.random(len(x)) < max(1 / len(x), sigma / 2)
    return np.where(thrown, np.where(rng.random(len(x)) < 0.5, low, high), x)
