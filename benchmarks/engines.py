"""Wall time of audits by a library's own fits of about 20 ms, with one worker and with two of each engine.

python benchmarks/engines.py [ROUNDS] [TRAININGS] [naive_bayes|asleep] [BACKEND ...]

`asleep` is a learner that sleeps for 20 ms: what an engine costs, also where other programs keep the processors busy.

One worker is a cluster of one worker process, for loky this very process. Rounds are interleaved; ratios are those of
the same round, their median is shown. Clusters are started, and their workers have imported everything, before.
"""

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack

from numpy.random import Generator, SeedSequence

from mlaudit import Claim, Dataset, FunctionMechanism, audit
from mlaudit.classifiers.logistic import Logistic
from mlaudit.datasets._load import load_data
from mlaudit.drawing.engines.dask import DaskEngine
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.engines.ray import RayEngine
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.threads import one_thread
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Engine, Mechanism
from mlaudit.types.pair import Pair

BACKENDS: dict[str, Callable[[int], Engine]] = {
    "loky": LokyEngine,
    "dask": lambda jobs: DaskEngine(jobs=jobs),
    "ray": lambda jobs: RayEngine(jobs=jobs),
}
EPSILONS = (0.5, 1.0)


def fit_seconds(data: Dataset, fits: int = 50) -> float:
    subject = NaiveBayes(1.0)
    with one_thread():
        subject.fit(data, SeedSequence(0))
        began = time.perf_counter()
        for i in range(fits):
            subject.fit(data, SeedSequence(i))
    return (time.perf_counter() - began) / fits


def asleep(data: Dataset, rng: Generator) -> float:
    time.sleep(0.02)
    return float(data.X.sum() + rng.laplace())


def learner(name: str, epsilon: float) -> Mechanism:
    return NaiveBayes(epsilon) if name == "naive_bayes" else FunctionMechanism(asleep, Claim(epsilon))


def sweep_seconds(name: str, engine: Engine, pair: Pair, trainings: int, seed: int) -> float:
    """A cell for each ε, one after the other."""
    began = time.perf_counter()
    for epsilon in EPSILONS:
        audit(
            learner(name, epsilon),
            pair=pair,
            procedure=Progressive((Logistic(),)),
            trainings=trainings,
            seed=seed,
            sampler="library",
            engine=engine,
            store=MemoryStore(),
        )
    return time.perf_counter() - began


def measured(name: str, backend: str, jobs: int, pair: Pair, trainings: int, seed: int) -> float:
    with ExitStack() as stack:
        engine = BACKENDS[backend](jobs)
        if hasattr(engine, "close"):
            stack.callback(engine.close)
        sweep_seconds(name, engine, pair, 100, 10_000 + seed)  # starts and imports
        return sweep_seconds(name, engine, pair, trainings, seed)


def main() -> None:
    rounds = int([*sys.argv[1:2], "3"][0])
    trainings = int([*sys.argv[2:3], "1500"][0])
    name = [*sys.argv[3:4], "naive_bayes"][0]
    backends = sys.argv[4:] or list(BACKENDS)
    data = load_data("breast_cancer")
    pair = audit(NaiveBayes(1.0), data, rows=1, trainings=200).pair
    print(f"a fit of naive_bayes takes {1000 * fit_seconds(pair.base):.1f} ms here and now")
    print(f"{len(EPSILONS)} audits of {name}, {trainings} trainings each", flush=True)
    taken: dict[str, list[tuple[float, float]]] = {backend: [] for backend in backends}
    for seed in range(rounds):
        for backend in backends:
            one, two = (measured(name, backend, jobs, pair, trainings, seed) for jobs in (1, 2))
            taken[backend].append((one, two))
            print(f"round {seed}, {backend}: {one:.1f} s, {two:.1f} s, {one / two:.2f}", flush=True)
    print("\n| engine | one worker, s | two workers, s | ratio |\n| --- | --- | --- | --- |")
    for backend, pairs in taken.items():
        ones, twos = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(one / two for one, two in pairs)
        print(f"| {backend} | {ones:.1f} | {twos:.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
