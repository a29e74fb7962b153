"""Common random numbers: trainings with equal seeds on D and on D′, for learners whose noise cannot be followed.

If the noise is added to the output, equal seeds give equal noise, and the outputs differ by as much as the exact
values do. Over the spread of the output on D, that is the number of scales of the noise by which the output moves.
Learners use their seeds in other ways as well, so that this is a hint for the reader and proves nothing.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.walk import Readings
from mlaudit.tracing.training import identify_data
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import measurement

Train = Callable[[Dataset, int], Readings]
_SEEDS = 8  # trainings of each side of the pair that is told about
_PAIRS = 8  # pairs that are compared, each with one training of each side
_SHOWN = 3  # numbers of the output that are told
_LEAST = 0.5  # scales below which a move is not worth telling


class Hints(NamedTuple):
    """Sentences, and how many trainings they took."""

    sentences: tuple[str, ...] = ()
    fits: int = 0


def find_hints(train: Train, pairs: Sequence[Neighbour], seed: int) -> Hints:
    """Which numbers of the output move most between D and D′ with equal seeds, in scales of their noise.

    Args:
        train: Trains on a dataset with a seed, and reads the output.
        pairs: Pairs of datasets.
        seed: The first seed.

    Returns:
        A sentence for each of the numbers that move most on the pair that moves them most.

    Example:
        >>> from mlaudit.types.pair import Pair
        >>> pair = Neighbour("a row more", Pair(Dataset([0.0]), Dataset([0.0, 3.0])))
        >>> noisy = lambda data, seed: {"output": data.X.sum() + [-1.0, 1.0][seed % 2]}
        >>> find_hints(noisy, [pair], 0).sentences[0]
        'with equal seeds, output moves by about 3 scales of its noise (a row more)'
    """
    known: dict[tuple[str, int], Readings] = {}

    def read(data: Dataset, at: int) -> Readings:
        key = (identify_data(data), at)
        if key not in known:
            known[key] = train(data, seed + at)
        return known[key]

    def moves(one: Neighbour, scales: dict[str, float], seeds: int) -> dict[str, float]:
        sides = [[read(data, at) for at in range(seeds)] for data in (one.pair.base, one.pair.neighbour)]
        return count_scales(sides[0], sides[1], scales)

    tried = pairs[:_PAIRS]
    scales = measure_spread([read(tried[0].pair.base, at) for at in range(_SEEDS)])
    worst = max(tried, key=lambda one: max(moves(one, scales, 1).values(), default=0.0))
    scales = measure_spread([read(worst.pair.base, at) for at in range(_SEEDS)])
    found = sorted(moves(worst, scales, _SEEDS).items(), key=lambda entry: -entry[1])
    told = [_tell(path, ratio, worst) for path, ratio in found[:_SHOWN] if ratio >= _LEAST]
    return Hints(tuple(told), len(known))


def measure_spread(readings: Sequence[Readings]) -> dict[str, float]:
    """The mean distance from the median of every number of the output: the scale of Laplace noise.

    >>> measure_spread([{"a": 1.0}, {"a": 3.0}, {"a": 2.0, "b": "text"}])["a"]
    0.6666666666666666
    """
    found = {}
    for path in readings[0]:
        values = [one.get(path) for one in readings]
        if all(isinstance(value, float | int) and np.isfinite(value) for value in values):
            numbers = np.asarray(values, dtype=float)
            found[path] = float(np.abs(numbers - np.median(numbers)).mean())
    return found


def count_scales(base: Sequence[Readings], other: Sequence[Readings], scales: dict[str, float]) -> dict[str, float]:
    """By how many scales each number moves, in the median over the seeds; infinity if it has no noise.

    >>> count_scales([{"a": 0.0, "b": 1.0}], [{"a": 1.0, "b": 2.0}], {"a": 0.5, "b": 0.0})
    {'a': 2.0, 'b': inf}
    """
    found = {}
    for path, scale in scales.items():
        pairs = [(one.get(path), two.get(path)) for one, two in zip(base, other, strict=True)]
        if not all(isinstance(a, float | int) and isinstance(b, float | int) for a, b in pairs):
            continue
        moved = float(np.median([abs(float(b) - float(a)) for a, b in pairs]))  # type: ignore[arg-type]
        if np.isfinite(moved):
            found[path] = 0.0 if not moved else moved / scale if scale else inf
    return found


def _tell(path: str, ratio: float, one: Neighbour) -> str:
    if ratio == inf:
        return f"with equal seeds, {path} moves and has no noise ({one.change})"
    return f"with equal seeds, {path} moves by about {measurement(ratio, 2)} scales of its noise ({one.change})"
