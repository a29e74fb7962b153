"""Learners that tests serve from another interpreter: functions, a class, an estimator's ways to be called."""

import time
from typing import Any

__version__ = "2.1"


def noisy_sum(data: Any, rng: Any) -> Any:
    return data.X.sum() + rng.laplace()


def echo(X: Any) -> list[float]:
    return [float(value) for row in X for value in row]


def busy(data: Any, rng: Any) -> Any:
    until = time.process_time() + 0.005
    while time.process_time() < until:
        pass
    return data.X.sum() + rng.laplace()


def by_place(rows: Any, generator: Any) -> Any:
    return len(rows.X) + generator.laplace()


def named(X: Any, y: Any, seed: int, random_state: int, epsilon: float, bins: int = 2) -> list[float]:
    print("this must not break the protocol")  # noqa: T201
    return [len(X), -1.0 if y is None else len(y), seed % bins, float(seed % 2**32 == random_state), epsilon]


def careless(X: Any) -> float:
    X[0] = 7.0
    return 0.0


def count_units(data: Any, units: Any) -> list[float]:
    """The number of owners, given by name and as a part of the data; -1 for none."""
    return [-1.0 if part is None else float(len(set(part.tolist()))) for part in (units, data.units)]


class NoisyMeans:
    bounds = (0, 1)
    labels = (0, 1)

    def __init__(self, epsilon: float, columns: int = 1) -> None:
        self.epsilon, self.columns = epsilon, columns

    def fit(self, X: Any, y: Any, rng: Any) -> None:
        self.means_ = X[:, : self.columns].mean(axis=0) + rng.laplace(
            scale=1 / len(X) / self.epsilon, size=self.columns
        )
