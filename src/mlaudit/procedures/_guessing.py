"""Progressive guessing of labels: each block by a distinguisher learned on all earlier draws."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mlaudit.distinguish.leader import Project
from mlaudit.distinguish.projection import prefix_sizes, rank_right_guesses
from mlaudit.errors import InvalidInput
from mlaudit.procedures._contest import Contest
from mlaudit.procedures._scores import bin_scores
from mlaudit.protocols import Classifier, Draw, Grows, KnowsShift
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws, join
from mlaudit.types.finding import ScoreCounts, Scorer
from mlaudit.types.numbers import count, parameter

_PER_COORDINATE = 20  # draws that a linear rule needs before its guesses are worth counting
_FOR_NOISE = 50  # draws that show noise whose shift is known
_LEAST_FOR_NOISE, _LEAST, MOST_BURN_IN = 0.02, 0.05, 0.1  # shares of all draws
_PAIRED, _FEWEST_PAIRS, _MOST_PAIRS = 0.02, 4, 128  # share of the trainings, and pairs of them
_FEWEST = 3  # draws that can be cross-validated, two left out at a time


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
    project: Callable[[FloatArray, IntArray, int], float] | None = None,
) -> Guesses:
    """Draw random labels with the whole budget, and guess and count all of them after the burn-in.

    `project` gives the bound that scores of labelled draws promise for so many counted draws; several classifiers
    need it.
    """
    pilot = [] if draw.pilot is None else [draw.pilot]
    total = draw.remaining + sum(map(len, pilot))
    if burn_in is not None:
        _check_burn_in(total, burn_in)
    draws = draw(draw.coins(draw.remaining))
    shift = draw.shift if isinstance(draw, KnowsShift) else None
    if shift is not None and not shift.spread.any():
        # Noise is simply added: common seeds have shown what labels would have to teach of each coordinate.
        least, wanted = _LEAST_FOR_NOISE, _FOR_NOISE
    else:
        head = join([*pilot, draws[: _burn_in_size(total, _LEAST, 0)]])  # a burn-in in any case
        least, wanted = _LEAST, _PER_COORDINATE * _width(head)
    first = max(_burn_in_size(total, burn_in, wanted, least) - sum(map(len, pilot)), 0 if pilot else 1)
    # A guess may depend on all outputs: given these, every label is still as uncertain as its own output leaves it.
    known = None if shift is None else shift.among(draws.z[np.flatnonzero(draws.kinds == shift.kind)[: shift.enough]])
    contest = Contest(classifiers, join([*pilot, draws[:first]]), _promise(project, len(draws) - first), known)
    correct = np.zeros(len(fractions), dtype=np.int64)
    guesses = np.zeros(len(fractions), dtype=np.int64)
    counted = []
    for start, stop in _block_edges(first, len(draws), blocks, offset=total - len(draws)):
        block = draws[start:stop]
        scores = contest.guess(block)
        sizes = prefix_sizes(stop - start, fractions)
        correct += np.append(0, np.cumsum(rank_right_guesses(scores, block.labels)))[sizes]
        guesses += sizes
        counted.append(scores)
    binned = bin_scores(np.concatenate(counted), draws.labels[first:])
    return Guesses(correct, guesses, contest.learn_rule(), binned)


def _promise(project: Callable[[FloatArray, IntArray, int], float] | None, counted: int) -> Project:
    return (lambda *_: 0.0) if project is None else lambda scores, labels: project(scores, labels, counted)


def paired_trainings(classifiers: tuple[Classifier, ...], trainings: int) -> int:
    """Return how many pairs with common seeds to spend on the shift; none if no classifier could use it.

    >>> from mlaudit.classifiers.additive import Additive
    >>> [paired_trainings((Additive(),), n) for n in (300, 2000, 40_000)]
    [0, 20, 128]
    """
    pairs = min(int(_PAIRED * trainings) // 2, _MOST_PAIRS)
    return pairs if pairs >= _FEWEST_PAIRS and any(isinstance(one, Grows) for one in classifiers) else 0


def guess_with_scorer(scorer: Scorer, draws: Draws, fractions: FloatArray) -> Guesses:
    """Guess labels with a scorer learned elsewhere, and count right guesses at every fraction."""
    scores = scorer(draws)
    right = rank_right_guesses(scores, draws.labels)
    sizes = prefix_sizes(len(draws), fractions)
    return Guesses(np.append(0, np.cumsum(right))[sizes], sizes, scorer, bin_scores(scores, draws.labels))


def _check_burn_in(total: int, share: float) -> None:
    """Refuse a share, before anything is drawn, that leaves nothing to learn from or nothing to count."""
    if not _FEWEST <= _burn_in_size(total, share, 0) < total:
        raise InvalidInput(
            f"burn_in must leave {_FEWEST} trainings to learn from and 1 to count, "
            f"got {parameter(share)} of {count(total)}; give another share or more trainings"
        )


def _burn_in_size(total: int, share: float | None, wanted: int, least: float = _LEAST) -> int:
    """Return how many draws are only learned from: as many as `wanted`, within shares of all if no share is given.

    >>> [_burn_in_size(n, None, wanted) for n, wanted in ((2000, 20), (2000, 200), (40_000, 600))]
    [100, 200, 2000]
    >>> _burn_in_size(2000, None, 50, least=0.02)
    50
    >>> _burn_in_size(2000, 0.2, 1)
    400
    """
    if share is None:
        share = float(np.clip(wanted / total, least, MOST_BURN_IN))
    return max(2, int(np.ceil(share * total)))


def _width(draws: Draws) -> int:
    """Return how many numbers the longest output has."""
    return int((~np.isnan(draws.z)).any(axis=0).sum())


def _block_edges(first: int, n: int, blocks: int, offset: int) -> list[tuple[int, int]]:
    """Return blocks whose ends grow geometrically in the number of all draws (`offset` came before these n)."""
    begin, end = first + offset, n + offset
    edges = np.round(begin * (end / begin) ** (np.arange(blocks + 1) / blocks)).astype(int) - offset
    return [(a, b) for a, b in pairwise(edges.tolist()) if b > a]
