"""Random batches of rows: two trainings on neighbouring datasets draw the same ones, but for the changed row."""

from functools import cached_property

import numpy as np
from numpy.random import default_rng

from mlaudit.types.arrays import BoolArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.matching import match_rows


class Batches:
    """Poisson batches of the rows of a dataset.

    Each row has a number. Row i of a batch joins by a uniform draw that depends on the seed, on the batch and on the
    number of the row alone. A dataset whose rows are in another order has batches of the same distribution.

    Args:
        data: The rows.
        seed: Seed of the draws.
        like: The batches of a neighbouring dataset. Common rows, and a row and the one that replaces it, share
            their numbers.

    Example:
        >>> one = Batches(Dataset([0.0, 1.0, 2.0]), 0)
        >>> other = Batches(Dataset([5.0, 0.0, 1.0, 2.0]), 0, one)
        >>> other.numbers.tolist()
        [3, 0, 1, 2]
        >>> bool((one.draw(3, 0.5) == other.draw(4, 0.5)[1:]).all())
        True
    """

    def __init__(self, data: Dataset, seed: int, like: "Batches | None" = None) -> None:
        self.data = data
        self.seed = seed
        self.like = like
        self.drawn = 0
        self.rates: list[float] = []

    @cached_property
    def numbers(self) -> IntArray:
        """The number of every row: only a training that draws batches asks for them."""
        return np.arange(len(self.data)) if self.like is None else _number_rows(self.like, self.data)

    def draw(self, rows: int, rate: float) -> BoolArray | None:
        """Which rows join the next batch; None if that many rows are not those of the dataset."""
        if rows != len(self.data):
            return None
        chances = default_rng([self.seed, self.drawn]).random(int(np.max(self.numbers, initial=-1)) + 1)
        self.drawn += 1
        self.rates.append(rate)
        return np.asarray(chances[self.numbers] < rate)

    def take_rate(self) -> float:
        """The probability with which a row is in a batch since the last step; 1 if no batch was drawn."""
        rate = min(1.0, sum(self.rates)) if self.rates else 1.0
        self.rates.clear()
        return rate


def _number_rows(like: Batches, data: Dataset) -> IntArray:
    numbers = np.zeros(len(data), dtype=np.int64)
    fresh = int(np.max(like.numbers, initial=-1)) + 1
    for match in match_rows(like.data, data):
        if match.neighbour is None:
            continue
        if match.base is None:
            numbers[match.neighbour], fresh = fresh, fresh + 1
        else:
            numbers[match.neighbour] = like.numbers[match.base]
    return numbers
