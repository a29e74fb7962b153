"""How the cost of drawing grows with trainings, rows and columns, and a large audit's memory; plots docs/scaling.svg.

python benchmarks/scaling.py
"""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit import audit
from mlaudit.datasets._load import load_data
from mlaudit.drawing.threads import one_thread
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.samplers import logistic_output_batched, naive_bayes_batched
from mlaudit.types.dataset import Dataset

LEARNERS: dict[str, tuple[Any, Any]] = {
    "naive_bayes": (NaiveBayes(1.0), naive_bayes_batched),
    "logistic_output": (LogisticOutput(1.0), logistic_output_batched),
}
BATCH = 1000
TRAININGS = (4_000, 16_000, 64_000, 256_000)
ROWS = (250, 1_000, 4_000, 16_000)
COLUMNS = (4, 16, 64, 256)


def made_up(rows: int, columns: int, learner: Any) -> Dataset:
    rng = default_rng(0)
    data = Dataset(rng.random((rows, columns)), rng.integers(0, 2, rows))
    return data.within(learner.domain(data))


def seconds(work: Callable[[], object], rounds: int = 5) -> float:
    spent = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return statistics.median(spent)


def drawing(name: str, trainings: int, rows: int, columns: int) -> float:
    """CPU seconds of a stream: what is done once, and the trainings, in batches."""
    learner, module = LEARNERS[name]
    data = made_up(rows, columns, learner)
    module.prepare(learner, data, None)(8, SeedSequence(0))  # compiled

    def work() -> None:
        draw = module.prepare(learner, data, None)
        for at in range(0, trainings, BATCH):
            draw(BATCH, SeedSequence(at))

    return seconds(work)


def slope(sizes: tuple[int, ...], spent: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(spent), 1)[0])


def memory(trainings: int) -> None:
    """In a process of its own: the peak covers all of it."""
    result = audit(LogisticOutput(1.0), load_data("breast_cancer"), trainings=trainings)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"audit of {trainings} trainings of {result.pair.base.X.shape[1]} numbers: peak {peak:.0f} MiB")


def main() -> None:
    if sys.argv[1:]:
        memory(int(sys.argv[1]))
        return
    curves: dict[str, dict[str, tuple[tuple[int, ...], list[float]]]] = {}
    with one_thread():
        for name in LEARNERS:
            curves[name] = {
                "trainings": (TRAININGS, [drawing(name, t, 1000, 30) for t in TRAININGS]),
                "rows": (ROWS, [drawing(name, 40_000, n, 30) for n in ROWS]),
                "columns": (COLUMNS, [drawing(name, 40_000, 1000, d) for d in COLUMNS]),
            }
            for what, (sizes, spent) in curves[name].items():
                shown = ", ".join(f"{size}: {second:.3f}" for size, second in zip(sizes, spent, strict=True))
                print(f"| {name} | {what} | {shown} | {slope(sizes, spent):.2f} |", flush=True)
    plot(curves)
    subprocess.run([sys.executable, __file__, "1000000"], check=True)


def plot(curves: dict[str, dict[str, tuple[tuple[int, ...], list[float]]]]) -> None:
    mpl.use("svg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
    for axis, what in zip(axes, ("trainings", "rows", "columns"), strict=True):
        for (name, by), marker in zip(curves.items(), "os", strict=True):
            axis.loglog(*by[what], marker=marker, label=name)
        sizes, spent = curves["naive_bayes"][what]
        axis.loglog(sizes, spent[-1] * np.array(sizes) / sizes[-1], ":", color="grey", label="linear")
        axis.set(xlabel=what)
        axis.grid(alpha=0.3)
    axes[0].set(ylabel="CPU seconds")
    axes[0].legend(frameon=False)
    figure.savefig("docs/scaling.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
