"""The tables of docs/sequential.md: trainings until a false claim is refuted, and how often a true one is.

python benchmarks/sequential.py [streams] [false-alarm streams]
"""

import sys
import time

import numpy as np
from numpy.random import default_rng
from shifted_laplace import PAIR, ShiftedLaplace

from mlaudit import Claim, audit
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.randomised_response import RandomisedResponse
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Mechanism
from mlaudit.statistics.e_process import BettingMixture
from mlaudit.types.arrays import FloatArray
from mlaudit.types.finding import Bets

ALPHA = 0.05
# Claimed ε, true ε, and the median with a known rule that a truncated beta mixture reached.
KNOWN = ((1.0, np.inf, 13), (1.0, 4.0, 30), (1.0, 2.0, 106), (1.0, 1.5, 345), (0.1, 0.2, 4943))
# Claimed ε, true ε, coordinates, and the median that a single logistic regression reached.
LEARNED = ((1.0, 2.0, 10, 190), (1.0, 4.0, 10, 68), (1.0, 2.0, 1, None), (1.0, 4.0, 1, None), (1.0, 50.0, 1, None))


def with_a_known_rule(claimed: float, true: float, streams: int, longest: int) -> FloatArray:
    """Trainings to refutation of a mechanism with two sure outputs, and one that says nothing."""
    sure = 0.5 if np.isfinite(true) else 1.0
    wrong = sure * np.exp(-true)
    found = []
    for seed in range(streams):
        u = default_rng(seed).random(longest)
        right, guessed = u < sure, u < sure + wrong
        path = BettingMixture(claimed).log_wealth(np.where(guessed, min(true, 50.0), 0.0), right, claimed)
        enough = np.flatnonzero(path >= -np.log(ALPHA))
        found.append(enough[0] + 1 if len(enough) else np.inf)
    return np.array(found, dtype=float)


def with_a_learned_rule(claimed: float, true: float, d: int, streams: int) -> FloatArray:
    """Trainings spent by whole audits."""
    found = []
    for seed in range(streams):
        result = audit(
            ShiftedLaplace(true, d),
            pair=PAIR,
            claim=Claim(claimed),
            procedure=Sequential(),
            trainings=8000,
            alpha=ALPHA,
            seed=seed,
            repeat=False,
        )
        bets = result.finding.evidence
        assert isinstance(bets, Bets)
        found.append(bets.spent if result.violated else np.inf)
    return np.array(found, dtype=float)


def false_alarms(mechanism: Mechanism, streams: int, trainings: int) -> int:
    """Claims that are exactly true, and refuted."""
    results = (
        audit(mechanism, rows=1, procedure=Sequential(), trainings=trainings, alpha=ALPHA, seed=seed, repeat=False)
        for seed in range(streams)
    )
    return sum(result.violated for result in results)


def _shown(found: FloatArray) -> str:
    low, middle, high = np.quantile(found, (0.1, 0.5, 0.9), method="nearest")
    return f"{low:.0f} | **{middle:.0f}** | {high:.0f}"


def main() -> None:
    streams, nulls = (int(v) for v in [*sys.argv[1:], "300", "2000"][:2])
    print(f"{streams} streams each, α = {ALPHA}\n")
    print("| known rule: claimed → true ε | 10 % | median | 90 % | reference |\n| --- | --- | --- | --- | --- |")
    for claimed, true, reference in KNOWN:
        found = with_a_known_rule(claimed, true, streams, 40_000 if true - claimed < 0.3 else 4000)
        print(f"| {claimed:g} → {true:g} | {_shown(found)} | {reference} |", flush=True)
    print("\n| learned rule: claimed → true ε | coordinates | 10 % | median | 90 % | reference |")
    print("| --- | --- | --- | --- | --- | --- |")
    for claimed, true, d, wanted in LEARNED:
        found = with_a_learned_rule(claimed, true, d, streams)
        print(f"| {claimed:g} → {true:g} | {d} | {_shown(found)} | {wanted or '-'} |", flush=True)
    print(f"\n| exactly at its claim, {nulls} streams | trainings | refuted | seconds an audit |")
    print("| --- | --- | --- | --- |")
    for mechanism, trainings in (
        (Laplace(1.0), 500),
        (RandomisedResponse(1.0), 500),
        (Gaussian(1.0, 1e-5), 500),
    ):
        began = time.process_time()
        found_false = false_alarms(mechanism, nulls, trainings)
        spent = (time.process_time() - began) / nulls
        name = type(mechanism).__name__
        print(f"| {name} | {trainings} | {found_false} ({found_false / nulls:.4f}) | {spent:.3f} |", flush=True)


if __name__ == "__main__":
    main()
