"""Climb from a good x* to a better one, by an evolution strategy on the pilots' own score.

All pilots share their seeds, so that the score is a fixed function of x*: the ascent does not climb noise. Learners
with a surrogate are climbed by its gradient instead, in the attack `influence`.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.search.candidate import Candidate
from mlaudit.search.region import extreme_rows
from mlaudit.search.screening import Screening
from mlaudit.types.arrays import FloatArray

_PILOTS = 8
_POINTS = 4  # tried side by side in each generation
_BETTER = 1.01  # a smaller gain is not worth another point
_FINEST = 0.02  # step, in units of the domain's width


def climb(screening: Screening, start: Candidate, budget: int, rng: Generator) -> Candidate:
    """Find the best candidate from there on with at most `budget` pilots; the start itself if none is better."""
    until, sigma = screening.pilots.spent + budget, 0.5
    best = screening.rank_by_shift([start], _PILOTS)[0] if screening.can_afford([start], _PILOTS, until) else start
    while sigma > _FINEST:
        generation = _mutate(screening, best, sigma, rng)
        if not generation or not screening.can_afford(generation, _PILOTS, until):
            break
        winner = screening.rank_by_shift(generation, _PILOTS)[0]
        if winner.score > _BETTER * best.score:
            best, sigma = winner, min(1.0, 1.5 * sigma)
        else:
            sigma /= 1.5
    return best


def _mutate(screening: Screening, parent: Candidate, sigma: float, rng: Generator) -> list[Candidate]:
    """The parent's move at other points; none if it has no point."""
    move = parent.move
    if move is None or move.at is None or move.elsewhere is None:
        return []
    ends = extreme_rows(parent.pair.base)
    points = [_mutate_point(move.at, ends, sigma, rng) for _ in range(_POINTS)]
    children = (screening.make_candidate(move.elsewhere(point)) for point in points)
    return [child for child in children if child is not None]


def _mutate_point(x: FloatArray, ends: tuple[FloatArray, FloatArray], sigma: float, rng: Generator) -> FloatArray:
    """Step in every column, or put some columns at a bound: sensitivities are reached at extremes."""
    low, high = ends
    if rng.random() < 0.5:
        return np.asarray(x + sigma * (high - low) * rng.normal(size=len(x)) / np.sqrt(len(x)))
    thrown = rng.random(len(x)) < max(1 / len(x), sigma / 2)
    return np.where(thrown, np.where(rng.random(len(x)) < 0.5, low, high), x)
