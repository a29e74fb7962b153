"""Trainings per CPU second: the plain library loop and every sampler, interleaved in one run; medians of the ratios.

python benchmarks/samplers.py [ROUNDS] [LEARNER ...]
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from diffprivlib import BudgetAccountant, models
from numpy.random import RandomState, SeedSequence
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from mlaudit.datasets._load import load_data
from mlaudit.drawing.threads import one_thread
from mlaudit.mechanisms.logistic_objective import LogisticObjective
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.preparation import Preparation
from mlaudit.types.traits import traits_of

Fit = Callable[[Dataset, int], Any]
WORDS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Contest:
    """A learner's plain loop and its samplers, with how many of each make up a round, by dataset."""

    learner: Any
    fit: Fit
    fits: tuple[int, ...]
    samplers: dict[str, tuple[str, tuple[int, ...]]]
    data: tuple[str, ...] = ("iris", "breast_cancer", "synthetic")


def dataset(name: str, learner: Any) -> Dataset:
    """The data as the learner wants it, with its domain."""
    how: Preparation = traits_of(learner).preparation
    if name == "synthetic":
        X, y = make_classification(n_samples=how.rows, n_features=100, n_informative=20, random_state=0)
        data = Dataset(X, y, name=name)
    elif name == "iris in cm":
        data = load_data("iris", how=replace(how, scale="none"))
    else:
        data = load_data(name, how=how)
    return data.within(learner.domain(data))


def naive_bayes(data: Dataset, seed: int) -> Any:
    box: Any = data.domain
    model = models.GaussianNB(
        epsilon=1.0, bounds=(box.low, box.high), random_state=seed, accountant=BudgetAccountant()
    )
    return model.fit(data.X, data.y)


def logistic_objective(data: Dataset, seed: int) -> Any:
    ball: Any = data.domain
    model = models.LogisticRegression(
        epsilon=1.0, data_norm=ball.radius, C=1.0, random_state=seed, accountant=BudgetAccountant()
    )
    return model.fit(data.X, data.y)


def logistic_output(data: Dataset, seed: int) -> FloatArray:
    ball: Any = data.domain
    rng = RandomState(seed)
    fitted = LogisticRegression(C=0.01, fit_intercept=False).fit(data.X, data.y).coef_[0]
    direction = rng.standard_normal(len(fitted))
    return np.asarray(fitted + direction / np.linalg.norm(direction) * rng.gamma(len(fitted), 0.02 * ball.radius))


def random_forest(data: Dataset, seed: int) -> Any:
    box: Any = data.domain
    model = models.RandomForestClassifier(
        n_estimators=15,
        max_depth=10,
        epsilon=1.0,
        bounds=(box.low, box.high),
        classes=[0, 1],
        random_state=seed,
        accountant=BudgetAccountant(),
    )
    return model.fit(data.X, data.y)


CONTESTS = {
    "naive_bayes": Contest(
        NaiveBayes(1.0),
        naive_bayes,
        (100, 30, 12),
        {
            "batched": ("naive_bayes_batched", (50_000, 20_000, 5_000)),
            "mirror": ("naive_bayes_mirror", (20_000, 5_000, 1_000)),
        },
    ),
    "logistic_output": Contest(
        LogisticOutput(1.0),
        logistic_output,
        (100, 100, 60),
        {"batched": ("logistic_output_batched", (200_000, 50_000, 20_000))},
    ),
    "logistic_objective": Contest(
        LogisticObjective(1.0),
        logistic_objective,
        (100, 100, 60, 100),
        {"batched": ("logistic_objective_batched", (10_000, 5_000, 2_000, 10_000))},
        # Scaled iris at this ε and C leaves a quarter of the trainings without minimiser; in centimetres, none.
        ("iris", "breast_cancer", "synthetic", "iris in cm"),
    ),
    "random_forest": Contest(
        RandomForest(1.0),
        random_forest,
        (1, 1, 1),
        {
            "batched (cell of x*)": ("random_forest_batched", (50_000, 50_000, 50_000)),
            "mirror": ("random_forest_mirror", (200, 200, 200)),
        },
    ),
}


def loop_rate(contest: Contest, data: Dataset, fits: int, first: int) -> float:
    began = time.process_time()
    for seed in range(first, first + fits):
        contest.fit(data, seed)
    return fits / (time.process_time() - began)


def draw_rate(kind: str, draw: Any, n: int, seed: int) -> float:
    began = time.process_time()
    if kind == "mirror":
        draw(seed, WORDS, np.arange(n))
    else:
        draw(n, SeedSequence(seed))
    return n / (time.process_time() - began)


def rows(name: str, rounds: int) -> None:
    contest = CONTESTS[name]
    for at, data_name in enumerate(contest.data):
        data, fits = dataset(data_name, contest.learner), contest.fits[at]
        draws = {
            kind: (import_module(f"mlaudit.samplers.{file}").prepare(contest.learner, data, data.X[0]), counts[at])
            for kind, (file, counts) in contest.samplers.items()
        }
        for kind, (draw, _) in draws.items():
            draw_rate(kind, draw, 64, 99)  # compiled
        plain: list[float] = []
        fast: dict[str, list[float]] = {kind: [] for kind in draws}
        for i in range(rounds):
            plain.append(loop_rate(contest, data, fits, i * fits))
            for kind, (draw, n) in draws.items():
                fast[kind].append(draw_rate(kind, draw, n, i))
        for kind, rates in fast.items():
            ratio = statistics.median(r / p for r, p in zip(rates, plain, strict=True))
            loop, rate = statistics.median(plain), statistics.median(rates)
            shape = f"{len(data)} × {data.X.shape[1]}"
            print(f"| {name}, {kind} | {data_name} {shape} | {loop:,.1f} | {rate:,.0f} | {ratio:,.0f} |", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")  # scikit-learn's about arguments that diffprivlib passes
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print("| learner, sampler | data | library's fits a second | drawn a second | ratio |")
    print("| --- | --- | --- | --- | --- |")
    with one_thread():
        for name in sys.argv[2:] or CONTESTS:
            rows(name, rounds)


if __name__ == "__main__":
    main()
