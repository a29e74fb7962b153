"""Progressive guessing of labels: each block by a distinguisher learned on all earlier draws."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mlaudit.distinguish.distinguisher import contenders, find_leader, held_out_losses, learn, log_loss
from mlaudit.errors import InvalidInput
from mlaudit.procedures._scores import bin_scores
from mlaudit.protocols import Classifier, Draw
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.draws import Draws, join
from mlaudit.types.finding import ScoreCounts, Scorer
from mlaudit.types.numbers import count, parameter

_PER_COORDINATE = 20  # draws that a linear rule needs before its guesses are worth counting
_LEAST, MOST_BURN_IN = 0.05, 0.1  # shares of all draws
_FEWEST = 3  # draws that can be cross-validated, two left out at a time
_ENOUGH = 60_000  # draws to learn from: more would cost memory and gain nothing


@dataclass(frozen=True, eq=False)
class Guesses:
    """Right guesses among the most confident shares of every block, pooled, and the scorer learned on all draws."""

    correct: IntArray
    guesses: IntArray
    scorer: Scorer
    scores: ScoreCounts


def guess_progressively(
    draw: Draw,
    classifiers: tuple[Classifier, ...],
    burn_in: float | None,
    blocks: int,
    fractions: FloatArray,
) -> Guesses:
    """Draw random labels with the whole budget, and guess and count all of them after the burn-in."""
    pilot = [] if draw.pilot is None else [draw.pilot]
    total = draw.remaining + sum(map(len, pilot))
    if burn_in is not None:
        _check_burn_in(total, burn_in)
    draws = draw(draw.coins(draw.remaining))
    head = join([*pilot, draws[: _burn_in_size(total, _LEAST, 0)]])  # a burn-in in any case
    first = max(_burn_in_size(total, burn_in, _width(head)) - sum(map(len, pilot)), 0 if pilot else 1)
    losses = held_out_losses(classifiers, join([*pilot, draws[:first]]))
    correct = np.zeros(len(fractions), dtype=np.int64)
    guesses = np.zeros(len(fractions), dtype=np.int64)
    counted = []
    for start, stop in _block_edges(first, len(draws), blocks, offset=total - len(draws)):
        # The classifier with the least loss so far guesses; the others' scores only update their losses.
        leader, block, past = find_leader(losses), draws[start:stop], _recent_draws(pilot, draws[:start])
        scores = {i: learn(classifiers[i], past).scores(block) for i in contenders(losses, leader)}
        losses = {i: np.append(losses[i], log_loss(score, block.labels)) for i, score in scores.items()}
        right = rank_right_guesses(scores[leader], block.labels)
        sizes = prefix_sizes(stop - start, fractions)
        correct += np.append(0, np.cumsum(right))[sizes]
        guesses += sizes
        counted.append(scores[leader])
    binned = bin_scores(np.concatenate(counted), draws.labels[first:])
    return Guesses(
        correct, guesses, learn(classifiers[find_leader(losses)], _recent_draws(pilot, draws)).scorer, binned
    )


def _recent_draws(pilot: list[Draws], draws: Draws) -> Draws:
    """Return the draws to learn from: all earlier ones, or the latest if there are many."""
    if len(draws) >= _ENOUGH:
        return draws[len(draws) - _ENOUGH :]
    return join([*pilot, draws])


def guess_with_scorer(scorer: Scorer, draws: Draws, fractions: FloatArray) -> Guesses:
    """Guess labels with a scorer learned elsewhere, and count right guesses at every fraction."""
    scores = scorer(draws)
    right = rank_right_guesses(scores, draws.labels)
    sizes = prefix_sizes(len(draws), fractions)
    return Guesses(np.append(0, np.cumsum(right))[sizes], sizes, scorer, bin_scores(scores, draws.labels))


def rank_right_guesses(scores: FloatArray, labels: IntArray) -> BoolArray:
    """Return which guesses are right, the most confident first; ties stay in the order of drawing.

    >>> rank_right_guesses(np.array([0.1, -3.0, 2.0]), np.array([0, 0, 1])).tolist()
    [True, True, False]
    """
    order = np.argsort(-np.abs(scores), kind="stable")
    return np.asarray(((scores > 0) == (labels == 1))[order])


def prefix_sizes(n: int, fractions: FloatArray) -> IntArray:
    """Return the number of guesses in each prefix, fixed before any output is seen."""
    return np.floor(fractions * n + 0.5).astype(np.int64)


def _check_burn_in(total: int, share: float) -> None:
    """Refuse a share, before anything is drawn, that leaves nothing to learn from or nothing to count."""
    if not _FEWEST <= _burn_in_size(total, share, 0) < total:
        raise InvalidInput(
            f"burn_in must leave {_FEWEST} trainings to learn from and 1 to count, "
            f"got {parameter(share)} of {count(total)}; give another share or more trainings"
        )


def _burn_in_size(total: int, share: float | None, width: int) -> int:
    """Return how many draws are only learned from; it depends on the size of the audit and on the outputs' width.

    >>> [_burn_in_size(n, None, width) for n, width in ((2000, 1), (2000, 10), (40_000, 30))]
    [100, 200, 2000]
    >>> _burn_in_size(2000, 0.2, 1)
    400
    """
    if share is None:
        share = float(np.clip(_PER_COORDINATE * width / total, _LEAST, MOST_BURN_IN))
    return max(2, int(np.ceil(share * total)))


def _width(draws: Draws) -> int:
    """Return how many numbers the longest output has."""
    return int((~np.isnan(draws.z)).any(axis=0).sum())


def _block_edges(first: int, n: int, blocks: int, offset: int) -> list[tuple[int, int]]:
    """Return blocks whose ends grow geometrically in the number of all draws (`offset` came before these n)."""
    begin, end = first + offset, n + offset
    edges = np.round(begin * (end / begin) ** (np.arange(blocks + 1) / blocks)).astype(int) - offset
    return [(a, b) for a, b in pairwise(edges.tolist()) if b > a]
