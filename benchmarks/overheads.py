"""What mlaudit itself costs, beside the trainings: ratios and CPU seconds, interleaved in one run, medians.

python benchmarks/overheads.py [rounds]
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from numpy.random import SeedSequence, default_rng

from mlaudit import Claim, Dataset, FunctionMechanism, LokyEngine, Pair, SqliteStore
from mlaudit.classifiers.logistic import Logistic
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.threads import one_thread
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.procedures.progressive import Progressive
from mlaudit.types.arrays import IntArray
from mlaudit.types.draws import Draws

PAIR = Pair(Dataset([0.0]), Dataset([1.0]))
N = 40_000
FITS = 4000


@dataclass
class Drawn:
    """Draws made beforehand, so that nothing but the procedure is timed."""

    draws: Draws
    pilot: Draws | None = None
    remaining: int = field(init=False)

    def __post_init__(self) -> None:
        self.remaining = len(self.draws)

    def coins(self, n: int) -> IntArray:
        return self.draws.labels[:n]

    def __call__(self, labels: IntArray) -> Draws:
        return self.draws


def procedure_seconds() -> float:
    rng = default_rng(0)
    labels = rng.integers(0, 2, N)
    z = rng.laplace(size=(N, 30))
    z[:, 0] += labels
    drawn = Drawn(Draws(labels, z))
    began = time.process_time()
    with one_thread():
        Progressive((Logistic(),))(drawn, Claim(1.0), PAIR, 0.05)
    return time.process_time() - began


def drawing_seconds(store: MemoryStore | SqliteStore) -> float:
    sampler = Sampler(Laplace(1.0), PAIR, 0, DrawingLoop(LokyEngine(), store), N)
    began = time.process_time()
    sampler(sampler.coins(N))
    return time.process_time() - began


def one_millisecond(data: Dataset, rng: np.random.Generator) -> float:
    until = time.perf_counter() + 0.001
    while time.perf_counter() < until:
        pass
    return float(data.X.sum() + rng.laplace())


def bare_loop(jobs: int) -> float:
    def fit(data: Dataset, i: int) -> float:
        return one_millisecond(data, default_rng(SeedSequence(0, spawn_key=(i,))))

    began = time.perf_counter()
    Parallel(n_jobs=jobs)(delayed(fit)(PAIR.base if i % 2 else PAIR.neighbour, i) for i in range(FITS))
    return time.perf_counter() - began


def our_loop(jobs: int) -> float:
    mechanism = FunctionMechanism(one_millisecond, Claim(1.0))
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "draws.sqlite")
        sampler = Sampler(mechanism, PAIR, 0, DrawingLoop(LokyEngine(jobs), store), FITS)
        began = time.perf_counter()
        sampler(np.tile(np.array([1, 0]), FITS // 2))
        seconds = time.perf_counter() - began
        store.close()
    return seconds


def command_seconds(*command: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interleaved(rounds: int, *measures: Callable[[], float]) -> list[float]:
    taken = [[measure() for measure in measures] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*taken, strict=True)]


def main() -> None:
    rounds = int([*sys.argv[1:], "5"][0])
    procedure, in_memory = interleaved(rounds, procedure_seconds, lambda: drawing_seconds(MemoryStore()))
    print(f"progressive, logistic, on {N} vectors of 30 numbers   {procedure:.2f} s CPU (at most 3)")
    print(f"drawing {N} from the vectorised Laplace, in memory    {in_memory:.2f} s CPU (at most 0.5)")
    with tempfile.TemporaryDirectory() as folder:
        in_sqlite = drawing_seconds(SqliteStore(Path(folder) / "draws.sqlite"))
    print(f"drawing {N} from the vectorised Laplace, in SQLite    {in_sqlite:.2f} s CPU (at most 0.5)")
    for jobs in (1, 2):
        bare, ours = interleaved(rounds, lambda j=jobs: bare_loop(j), lambda j=jobs: our_loop(j))  # type: ignore[misc]  # mypy: no default in a lambda
        print(f"{FITS} fits of 1 ms, {jobs} worker(s): {ours / bare:.3f} × a bare joblib loop (at most 1.15)")
    bare, help_, listing = interleaved(
        rounds,
        lambda: command_seconds("-c", "pass"),
        lambda: command_seconds("-m", "mlaudit", "--help"),
        lambda: command_seconds("-m", "mlaudit", "list", "attacks"),
    )
    print(f"mlaudit --help          {help_ - bare:.3f} s CPU more than a bare Python start (at most 0.4)")
    print(f"mlaudit list attacks    {listing - bare:.3f} s CPU more than a bare Python start (at most 0.4)")


if __name__ == "__main__":
    main()
