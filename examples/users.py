"""Means of a table in which users own several rows. One of them bounds what each user contributes.

mlaudit run examples/users.py:mean_per_row --data visits.csv --unit user_id --epsilon 1
mlaudit run examples/users.py:mean_per_user --data visits.csv --unit user_id --epsilon 1
mlaudit test examples/users.py:mean_per_row --unit user_id --unit-rows 3 --bounds 0,1 --epsilon 1
mlaudit test examples/users.py:mean_per_user --unit user_id --unit-rows 3 --bounds 0,1 --epsilon 1
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from mlaudit import Dataset

MOST_ROWS = 2  # of each user that count
EPSILON = 1.0


def mean_per_row(data: Dataset, rng: Generator) -> float:
    """The mean of the first column in [0, 1]: ε = 1 if one row is replaced, and ε = m for a user of m rows."""
    return noisy_mean(data.X[:, 0], 1, rng)


def mean_per_user(data: Dataset, rng: Generator) -> float:
    """The mean of at most two rows of each user, with noise for two rows: ε = 1 if all rows of a user change."""
    first = keep_first(np.asarray(data.units), MOST_ROWS)
    return noisy_mean(data.X[first, 0], MOST_ROWS, rng)


def noisy_mean(values: NDArray[np.float64], changed: int, rng: Generator) -> float:
    """The mean of numbers in [0, 1], of which a neighbour changes so many; the number of rows is public."""
    return float(values.mean() + rng.laplace(scale=changed / (len(values) * EPSILON)))


def keep_first(units: NDArray[np.generic], most: int) -> NDArray[np.bool_]:
    """Which rows are among the first `most` rows of their user.

    >>> keep_first(np.array(["ann", "bob", "ann", "ann"]), 2).tolist()
    [True, True, True, False]
    """
    before = np.tril(units[:, None] == units[None, :], -1).sum(axis=1)
    return np.asarray(before < most)


def write_visits(path: str, users: int = 40, seed: int = 0) -> None:
    """Write a table of visits: one to five rows of each user."""
    rng = np.random.default_rng(seed)
    lines = ["user_id,minutes,plan"]
    for user in range(users):
        plan = rng.choice(["basic", "pro"])
        lines += [f"u{user},{rng.integers(1, 60)},{plan}" for _ in range(rng.integers(1, 6))]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
