"""The sample project in CI: what its twenty tests cost, and how soon its mechanisms' faults are found.

    python benchmarks/ci_project.py time                  # seconds of `pytest -n 2` in examples/ci_project
    python benchmarks/ci_project.py faults 20 [MECHANISM] # trainings until `assert_private` refutes, over 20 seeds
    python benchmarks/ci_project.py alarms 1000           # of claims that hold exactly

A fault is noise that is too small by a factor; "none" is no noise at all. The pairs differ in one row or in two. The
limit is ln(1/flake rate) over the information of a training against every mechanism that keeps the claim: no test,
not even of a known fault, refutes in fewer trainings on average.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.special import expit, rel_entr

from mlaudit import Claim, Dataset, Pair
from mlaudit.results.audit_result import AuditResult
from mlaudit.testing import PrivacyViolation, assert_private
from mlaudit.types.arrays import FloatArray

PROJECT = Path(__file__).parents[1] / "examples" / "ci_project"
FLAKE_RATE = 1e-4
NO_NOISE = 500.0  # ε of a mechanism whose noise is never seen
BITS = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
# The module of the sample project, the mechanism, and the factors by which its noise is too small.
MECHANISMS = {
    "Laplace count": ("counts", "count_ones", (1.175, 1.5, NO_NOISE)),
    "geometric count": ("counts", "count_above_half", (1.5, NO_NOISE)),
    "randomised response": ("local", "randomised_response", (1.5, NO_NOISE)),
}
TRAININGS = {1.175: 40_000, 1.5: 6000, NO_NOISE: 1000}


def make_pair(rows: int) -> Pair:
    """Datasets that differ in the first rows that are 0."""
    changed = np.array(BITS)
    changed[np.flatnonzero(changed == 0)[:rows]] = 1.0
    return Pair(Dataset(BITS), Dataset(changed))


@dataclass(frozen=True)
class Drawn:
    """A mechanism of the sample project with noise for another ε, which its modules name EPSILON.

    Many outputs are drawn in one loop: that is faster, and of the same distribution.
    """

    module: str
    function: str
    epsilon: float

    @property
    def claim(self) -> Claim:
        """ε = 1, whatever the noise is."""
        return Claim(1.0)

    def domain(self, data: Dataset) -> None:
        """None declared: the data say it."""

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        """One output."""
        return np.asarray(self.sample(data, None, 1, seed)[0])

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        """The output itself."""
        return model

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Many outputs of the project's own function."""
        module = import_module(f"private_stats.{self.module}")
        module.EPSILON = self.epsilon  # type: ignore[attr-defined]  # a constant of every module
        mechanism, rng = getattr(module, self.function), default_rng(seed)
        return np.array([np.ravel(mechanism(data, rng)) for _ in range(n)], dtype=float)


def probabilities(name: str, factor: float, rows: int) -> tuple[FloatArray, FloatArray]:
    """The output's probabilities under D and under D′, on a grid for the Laplace count."""
    if name == "randomised response":
        right = np.array([expit(factor), expit(-factor)])
        both = right
        for _ in range(rows - 1):
            both = np.multiply.outer(both, right).ravel()
        return both, both[::-1]
    step = 1.0 if name == "geometric count" else 1e-3
    at = np.arange(-40.0, 40.0 + rows, step)
    weights = np.exp(-factor * np.abs(at)), np.exp(-factor * np.abs(at - rows))
    return weights[0] / weights[0].sum(), weights[1] / weights[1].sum()


def limit(name: str, factor: float, rows: int) -> float:
    """The fewest trainings on average in which a test at the flake rate can refute ε = 1."""
    one, zero = probabilities(name, factor, rows)
    mass, right = (one + zero) / 2, np.maximum(one, zero) / np.maximum(one + zero, 1e-300)
    allowed = np.minimum(right, expit(rows))  # the nearest mechanism that keeps the claim
    information = mass @ (rel_entr(right, allowed) + rel_entr(1 - right, 1 - allowed))
    return float(-np.log(FLAKE_RATE) / information)


def try_once(learner: Any, data: Any, trainings: int, seed: int) -> tuple[int, int]:
    """Trainings until the claim was refuted, and all trainings of the test, with its search and its repetition."""
    try:
        assert_private(
            learner,
            data,
            flake_rate=FLAKE_RATE,
            trainings=trainings,
            seed=seed,
            witness=os.devnull,
        )
    except PrivacyViolation as violation:
        witness = violation.result.findings[0].witness
        every = sum(attempt.trainings for attempt in violation.result.attempts)
        # A scan has no bets of one pair: its trainings are all those of the test.
        return (
            getattr(witness.finding.evidence, "spent", every) if isinstance(witness, AuditResult) else every
        ), every
    return sys.maxsize, sys.maxsize


def fault_rows(seeds: int, names: list[str]) -> Iterator[str]:
    """One line of the table for each fault; data without a pair, which a search starts from, without noise only."""
    for name in names:
        module, function, factors = MECHANISMS[name]
        for factor in factors:
            learner = Drawn(module, function, factor)
            other = {"data only": Dataset(BITS)} if factor == NO_NOISE else {"2 rows": make_pair(2)}
            kinds: dict[str, Any] = {"1 row": make_pair(1), **other}
            for kind, data in kinds.items():
                began = time.process_time()
                found = np.array([try_once(learner, data, TRAININGS[factor], seed) for seed in range(seeds)])
                spent = time.process_time() - began
                median, high = np.quantile(found, [0.5, 0.9], axis=0, method="nearest")
                rows = 2 if kind == "2 rows" else 1
                fewest = f"{limit(name, factor, rows):,.0f}"
                cells = [_count(median[0]), _count(high[0]), _count(median[1]), _count(high[1])]
                said = "none" if factor == NO_NOISE else f"÷ {factor:g}"
                yield f"| {name} | {said} | {kind} | {fewest} | " + " | ".join(cells) + f" | {spent / seeds:.1f} |"


def _count(trainings: float) -> str:
    return "not found" if trainings >= sys.maxsize else f"{trainings:,.0f}"


def show_faults(seeds: int, names: list[str]) -> None:
    """Print how soon the faults are found."""
    print(f"{seeds} seeds, flake rate {FLAKE_RATE:g}; 1 row and 2 rows: a pair so many rows apart is given\n")
    print(
        "| mechanism | noise | data | limit | refuted: median | 90 % | all trainings: median | 90 % | CPU s a test |"
    )
    print("| --- |" + " --- |" * 8)
    for line in fault_rows(seeds, names):
        print(line, flush=True)


def show_alarms(runs: int, rate: float = 0.05, trainings: int = 300) -> None:
    """Print how often claims that hold exactly are refuted, by the first bound alone and by the test."""
    print(f"{runs} tests of {trainings} trainings each at a flake rate of {rate:g}, ε = 1 claimed and exact\n")
    print("| mechanism | pair | failed tests | first bounds above the claim |")
    print("| --- | --- | --- | --- |")
    for name, (module, function, _) in MECHANISMS.items():
        learner = Drawn(module, function, 1.0)
        pair = make_pair(1 if name == "Laplace count" else 2)
        failed = above = 0
        for seed in range(runs):
            test = partial(assert_private, learner, pair, flake_rate=rate, trainings=trainings, seed=seed)
            try:
                result = test(witness=os.devnull)
            except PrivacyViolation as violation:
                result, failed = violation.result, failed + 1
            above += max(attempt.epsilon_lower for attempt in result.attempts) > 1.0
        rows = pair.rows
        print(f"| {name} | {rows} row{'s' * (rows > 1)} | {failed} | {above} ({above / runs:.3f}) |", flush=True)


def show_time() -> None:
    """Print what the project's tests cost."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(ran.stdout.strip().splitlines()[-1])
    load = os.getloadavg()[0]
    print(f"{cpu:.0f} CPU seconds, {wall:.0f} s of wall time with two workers (load of the machine {load:.1f})")


def main() -> None:
    """Print one part."""
    sys.path.insert(0, str(PROJECT))
    part, size = sys.argv[1], int([*sys.argv[2:], "20"][0])
    if part == "time":
        show_time()
    elif part == "faults":
        show_faults(size, sys.argv[3:] or list(MECHANISMS))
    else:
        show_alarms(size)


if __name__ == "__main__":
    main()
