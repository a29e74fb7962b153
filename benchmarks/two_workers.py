"""Wall time of an audit's trainings with two workers over that of a plain loop of the same fits, interleaved.

python benchmarks/two_workers.py [ROUNDS] [MECHANISM ...]
"""

import statistics
import sys
import time

import numpy as np
from numpy.random import SeedSequence

from mlaudit import LokyEngine, audit
from mlaudit.datasets._load import load_data
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.threads import one_thread
from mlaudit.mechanisms._diffprivlib import models
from mlaudit.mechanisms.dp_sgd import DpSgd
from mlaudit.mechanisms.logistic_objective import LogisticObjective
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.protocols import Mechanism
from mlaudit.types.pair import Pair
from mlaudit.types.traits import traits_of

CASES: dict[str, tuple[str, Mechanism, int]] = {
    "naive_bayes": ("breast_cancer", NaiveBayes(1.0), 2000),
    "logistic_objective": ("breast_cancer", LogisticObjective(1.0), 6000),
    "random_forest": ("iris", RandomForest(1.0), 100),
    "dp_sgd": ("fashion_mnist", DpSgd(10.0), 100),
}


def plain_loop(mechanism: Mechanism, pair: Pair, trainings: int) -> float:
    """As a script would do it: one process, one fit after the other, half on each side."""
    began = time.perf_counter()
    for i in range(trainings):
        data = pair.base if i % 2 else pair.neighbour
        np.asarray(mechanism.summary(mechanism.fit(data, SeedSequence(i)), pair.target))
    return time.perf_counter() - began


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    models()
    for chosen in sys.argv[2:] or list(CASES):
        name, mechanism, trainings = CASES[chosen]
        data = load_data(name, how=traits_of(mechanism).preparation)
        first = audit(mechanism, data, rows=1, trainings=200)
        ratios = []
        for i in range(rounds):
            with one_thread():
                alone = plain_loop(mechanism, first.pair, trainings)
            began = time.perf_counter()
            audit(
                mechanism,
                pair=first.pair,
                trainings=trainings,
                seed=i,
                sampler="library",
                engine=LokyEngine(2),
                store=MemoryStore(),
            )
            ratios.append((time.perf_counter() - began) / alone)
        print(
            f"{first.provenance.mechanism} on {name}, {trainings} trainings: {statistics.median(ratios):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
