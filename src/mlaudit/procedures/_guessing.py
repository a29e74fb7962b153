"""Guessing labels progressively: each block by a distinguisher learned on everything before it."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mlaudit.distinguisher import contenders, held_out_losses, leading, learn, log_loss
from mlaudit.procedures._scores import score_counts
from mlaudit.protocols import Classifier, Draw
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.draws import Draws, join
from mlaudit.types.finding import ScoreCounts, Scorer

_PER_COORDINATE = 20  # draws that a linear rule needs before its guesses are worth counting
_LEAST, _MOST = 0.05, 0.1  # shares of all draws
_ENOUGH = 60_000  # draws to learn from: more would cost memory and gain nothing


@dataclass(frozen=True, eq=False)
class Guesses:
    """Right guesses among the most confident share of every block, pooled; and the rule to guess by next time."""

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
    """Spend the whole budget on random labels; everything after the burn-in is guessed and counted."""
    pilot = [] if draw.pilot is None else [draw.pilot]
    total = draw.remaining + sum(map(len, pilot))
    draws = draw(draw.coins(draw.remaining))
    head = join([*pilot, draws[: _burn_in(total, _LEAST, 0)]])  # a burn-in in any case
    first = max(_burn_in(total, burn_in, _width(head)) - sum(map(len, pilot)), 0 if pilot else 1)
    losses = held_out_losses(classifiers, join([*pilot, draws[:first]]))
    correct = np.zeros(len(fractions), dtype=np.int64)
    guesses = np.zeros(len(fractions), dtype=np.int64)
    counted = []
    for start, stop in _edges(first, len(draws), blocks, offset=total - len(draws)):
        # The leader so far guesses; what the others would have guessed counts only when the next one is chosen.
        leader, block, past = leading(losses), draws[start:stop], _latest(pilot, draws[:start])
        scores = {i: learn(classifiers[i], past).scores(block) for i in contenders(losses, leader)}
        losses = {i: np.append(losses[i], log_loss(score, block.labels)) for i, score in scores.items()}
        right = most_confident_first(scores[leader], block.labels)
        sizes = look_sizes(stop - start, fractions)
        correct += np.append(0, np.cumsum(right))[sizes]
        guesses += sizes
        counted.append(scores[leader])
    binned = score_counts(np.concatenate(counted), draws.labels[first:])
    return Guesses(correct, guesses, learn(classifiers[leading(losses)], _latest(pilot, draws)).scorer, binned)


def _latest(pilot: list[Draws], draws: Draws) -> Draws:
    """What is learned from: all that came before, or as much of it as makes a difference."""
    if len(draws) >= _ENOUGH:
        return draws[len(draws) - _ENOUGH :]
    return join([*pilot, draws])


def guess_with(scorer: Scorer, draws: Draws, fractions: FloatArray) -> Guesses:
    """Right guesses and guesses at every fraction, by a rule learned elsewhere."""
    scores = scorer(draws)
    right = most_confident_first(scores, draws.labels)
    sizes = look_sizes(len(draws), fractions)
    return Guesses(np.append(0, np.cumsum(right))[sizes], sizes, scorer, score_counts(scores, draws.labels))


def most_confident_first(scores: FloatArray, labels: IntArray) -> BoolArray:
    """Which guesses are right, the most confident first; ties stay in the order of drawing.

    >>> most_confident_first(np.array([0.1, -3.0, 2.0]), np.array([0, 0, 1])).tolist()
    [True, True, False]
    """
    order = np.argsort(-np.abs(scores), kind="stable")
    return np.asarray(((scores > 0) == (labels == 1))[order])


def look_sizes(n: int, fractions: FloatArray) -> IntArray:
    """How many guesses each fraction of n is: fixed before anything is seen."""
    return np.floor(fractions * n + 0.5).astype(np.int64)


def _burn_in(total: int, share: float | None, width: int) -> int:
    """How many draws only train: fixed by the size of the audit and the width of outputs that are not counted.

    >>> _burn_in(2000, None, 1), _burn_in(2000, None, 10), _burn_in(40_000, None, 30), _burn_in(2000, 0.2, 1)
    (100, 200, 2000, 400)
    """
    if share is None:
        share = float(np.clip(_PER_COORDINATE * width / total, _LEAST, _MOST))
    return max(2, int(np.ceil(share * total)))


def _width(draws: Draws) -> int:
    """How many numbers the longest output has."""
    return int((~np.isnan(draws.z)).any(axis=0).sum())


def _edges(first: int, n: int, blocks: int, offset: int) -> list[tuple[int, int]]:
    """Blocks whose ends grow geometrically in all that was drawn (`offset` draws came before these n)."""
    begin, end = first + offset, n + offset
    edges = np.round(begin * (end / begin) ** (np.arange(blocks + 1) / blocks)).astype(int) - offset
    return [(a, b) for a, b in pairwise(edges.tolist()) if b > a]
