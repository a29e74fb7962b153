"""Batched objective perturbation against diffprivlib's own fits: three datasets, three ε, and what must differ.

python benchmarks/equivalence_objective.py [draws]
"""

import sys

import numpy as np
from numpy.random import SeedSequence
from scipy.stats import fisher_exact, ks_2samp
from sklearn.datasets import make_classification

from mlaudit import Dataset
from mlaudit.datasets._load import load_data
from mlaudit.kernels.lockstep.minimise import minimise_double
from mlaudit.mechanisms.logistic_objective import LogisticObjective, flag_missing_minimiser
from mlaudit.samplers.logistic_objective_batched import prepare
from mlaudit.testing.equivalence import compare
from mlaudit.types.arrays import FloatArray

ALPHA = 1e-3  # over the nine comparisons and their three controls
CASES = [(0.1, 1.0), (1.0, 10.0), (8.0, 1.0)]  # ε and C: both branches, no intercept without minimiser
# Where the library stops far from the minimiser, at its tolerance or, of 100 columns, after 100 iterations.
TOLERANCES = [("breast_cancer", 8.0, 1.0), ("breast_cancer", 50.0, 10.0), ("wide", 50.0, 10.0)]


def datasets() -> dict[str, Dataset]:
    X, y = make_classification(n_samples=200, n_features=10, random_state=0)
    wide, labels = make_classification(n_samples=1000, n_features=100, n_informative=20, random_state=0)
    return {
        "iris": load_data("iris"),
        "breast_cancer": load_data("breast_cancer"),
        "synthetic": Dataset(X, y, name="synthetic"),
        "wide": Dataset(wide, labels, name="wide"),
    }


def by_library(learner: LogisticObjective, data: Dataset, n: int, seed: int) -> FloatArray:
    seeds = (SeedSequence(seed, spawn_key=(place,)) for place in range(n))
    return np.array([learner.summary(learner.fit(data, s), None) for s in seeds])


def in_batches(learner: LogisticObjective, data: Dataset, n: int, seed: int = 1) -> FloatArray:
    return prepare(learner, data, None)(n, SeedSequence(seed))


def solved_to(tolerance: float, learner: LogisticObjective, data: Dataset, n: int) -> FloatArray:
    """The same noise, solved more exactly than the library solves it."""
    batch = prepare(learner, data, None)
    direction = np.random.default_rng(1).normal(size=(n, data.X.shape[1] + 1))
    norm = np.random.default_rng(2).gamma(direction.shape[1], batch.scale, (n, 1))
    noise = direction / np.linalg.norm(direction, axis=1, keepdims=True) * norm
    strict = batch.double._replace(tolerance=tolerance, max_iterations=100_000)
    return minimise_double(strict, noise, batch.width)[0]


def row(name: str, learner: LogisticObjective, what: str, first: FloatArray, second: FloatArray) -> None:
    c = compare(first, second)
    print(
        f"| {name} | {learner.epsilon:g} | {learner.C:g} | {what} | {c.pvalue:.3g} | "
        f"{c.coordinate_pvalue:.3g} | {c.accuracy:.3f} |",
        flush=True,
    )


def main() -> None:
    n = int([*sys.argv[1:], "10000"][0])
    data = datasets()
    print(f"{n} draws a side; equal if p > {ALPHA / 12:.1e}, which happens to equal ones with 1 − {ALPHA}\n")
    print("| data | ε | C | compared with the library | p | p of the worst coordinate | guessed right |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, plain in list(data.items())[:3]:
        for epsilon, C in CASES:
            learner = LogisticObjective(epsilon, C)
            here = plain.within(learner.domain(plain))
            library = by_library(learner, here, n, 0)
            row(name, learner, "batched", in_batches(learner, here, n), library)
            if epsilon == 1.0:
                row(name, learner, "the library", by_library(learner, here, n, 1), library)
    for name, epsilon, C in TOLERANCES:
        learner = LogisticObjective(epsilon, C)
        here = data[name].within(learner.domain(data[name]))
        library = by_library(learner, here, n, 0)
        row(name, learner, "batched", in_batches(learner, here, n), library)
        row(name, learner, "solved to 1e-6", solved_to(1e-6, learner, here, n), library)
    without_minimiser(data["iris"], n)


def without_minimiser(plain: Dataset, n: int) -> None:
    """A quarter of the trainings on iris at ε = C = 1: how many, and what the library returns for them."""
    learner = LogisticObjective(1.0)
    here = plain.within(learner.domain(plain))
    sides = {"library": by_library(learner, here, n, 0), "batched": in_batches(learner, here, n)}
    flagged = {who: np.array([flag_missing_minimiser(z) != "" for z in side]) for who, side in sides.items()}
    row("iris", learner, "batched, those with a minimiser", *(sides[w][~flagged[w]] for w in ("batched", "library")))
    row("iris", learner, "batched, those without", *(sides[w][flagged[w]] for w in ("batched", "library")))
    counts = [[int(f.sum()), int((~f).sum())] for f in flagged.values()]
    print(f"\niris, ε = C = 1, no minimiser: {counts[0][0]} (library) and {counts[1][0]} (batched) of {n}, ", end="")
    print(f"p = {fisher_exact(np.array(counts)).pvalue:.3g}")
    for who, side in sides.items():
        size = np.log10(np.abs(side[flagged[who], -1]))
        print(
            f"  {who}: log10 |intercept| at 1, 10, 50, 90, 99 %:",
            np.quantile(size, [0.01, 0.1, 0.5, 0.9, 0.99]).round(2),
        )
    sizes = [np.log10(np.abs(side[flagged[who], -1])) for who, side in sides.items()]
    print(f"  Kolmogorov-Smirnov: distance {ks_2samp(*sizes).statistic:.3f}, p = {ks_2samp(*sizes).pvalue:.3g}")


if __name__ == "__main__":
    main()
