"""What the attack search reaches, what it costs, and how often it accuses the innocent.

python benchmarks/search.py tight   [trainings] [name …]    five mechanisms of known ε, searched over crafted data
python benchmarks/search.py cells   [trainings] [learner …] the search against every hand-made attack, cell by cell
python benchmarks/search.py healthy [searches] [trainings]  false alarms on the zoo's healthy twins
python benchmarks/search.py classes [trainings] [learner …] diffprivlib's classes under either relation

Each takes --seed N (default 0); classes takes --columns N, the most that crafted data may have (default 100).
"""

import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mlaudit.adapters.function import FunctionMechanism
from mlaudit.attacks.search import Search
from mlaudit.auditing.call import audit
from mlaudit.datasets._load import load_data
from mlaudit.errors import AuditError
from mlaudit.naming.plugins import load, shipped
from mlaudit.results.audit_result import AuditResult
from mlaudit.search.worst import Worst
from mlaudit.statistics.binomial import lower_limit, upper_limit
from mlaudit.testing.zoo import Exhibit, exhibits
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.traits import traits_of

EPSILONS = (0.5, 1.0, 2.0, 4.0)
# The most that any pair shows, as a share of ε (logistic_output: decision 020), and the most columns.
TIGHT = {
    "laplace": (1.0, 100),
    "geometric": (1.0, 100),
    "randomised_response": (1.0, 100),
    "noisy_max": (1.0, 100),
    "logistic_output": (0.5, 1),
}
LEARNERS = ("naive_bayes", "logistic_objective", "logistic_output", "random_forest")
DATASETS = ("iris", "breast_cancer", "banknote")
HAND_MADE = ("clip_bkd", "swap_x", "far_corner", "influence", "prior_flip", "corner_flip", "mean_corner", "lone_flip")
CLASSES = (
    "naive_bayes",
    "logistic_objective",
    "random_forest",
    "decision_tree",
    "linear_regression",
    "k_means",
    "pca",
    "standard_scaler",
)


def tight(seed: int, trainings: int = 40_000, *names: str) -> None:
    print(f"`--data worst`, {trainings} trainings, seed {seed}: bound, share of min(truth, ceiling), CPU seconds")
    for name in names or TIGHT:
        share, columns = TIGHT[name]
        for epsilon in EPSILONS:
            began = time.process_time()
            result = audit(load("mechanisms", name)(epsilon), Worst(columns=columns), trainings=trainings, seed=seed)
            most = min(share * epsilon, result.finding.bound.ceiling)
            found = f"{result.epsilon_lower:.3f}  {100 * result.epsilon_lower / most:5.1f} %"
            print(
                f"{name:20} ε = {epsilon:<4g} {found}  {time.process_time() - began:.1f} s  {_won(result)}",
                flush=True,
            )


def cells(seed: int, trainings: int = 10_000, *learners: str) -> None:
    shares = []
    print(f"ε = 1, seed {seed}, {trainings} trainings in all for each number: search, best hand-made, ratio")
    for name in learners or LEARNERS:
        for source in DATASETS:
            mechanism = load("mechanisms", name)(1.0)
            data = load_data(source, None, traits_of(mechanism).preparation, [])
            began = time.process_time()
            found = audit(mechanism, data, attack=Search(), trainings=trainings, seed=seed)
            spent = time.process_time() - began
            hand_made = {attack: _bound(mechanism, data, attack, trainings, seed) for attack in HAND_MADE}
            best = max(hand_made, key=lambda attack: hand_made[attack])
            shares.append(found.epsilon_lower / max(hand_made[best], 1e-9))
            line = f"{found.epsilon_lower:.3f}  {hand_made[best]:.3f} ({best})  {shares[-1]:.2f}  {spent:.0f} s"
            print(f"{name:20} {source:14} {line}  {_won(found)}", flush=True)
    print(f"mean ratio {np.mean(shares):.3f}, better in {sum(share > 1 for share in shares)} of {len(shares)} cells")


def _bound(mechanism: Any, data: Dataset, attack: str, trainings: int, seed: int) -> float:
    try:
        return audit(mechanism, data, attack=load("attacks", attack)(), trainings=trainings, seed=seed).epsilon_lower
    except AuditError:
        return 0.0  # it does not apply


def healthy(first: int, searches: int = 1000, trainings: int = 400) -> None:
    """Every healthy twin of the zoo in turn, searched within the box of its exhibit's pair."""
    alarms: list[str] = []
    done, seed, began = 0, first, time.process_time()
    while done < searches:
        for name, exhibit in exhibits().items():
            verdict = _searched(exhibit, trainings, seed) if done < searches else None
            if verdict is not None:
                done += 1
                alarms += [f"{name} (seed {seed})"] if verdict == "violated" else []
        seed += 1
        print(f"  {done} searches, {len(alarms)} alarms, {time.process_time() - began:.0f} s", file=sys.stderr)
    low, high = (float(f(len(alarms), done, 0.025)) for f in (lower_limit, upper_limit))
    print(f"{len(alarms)} false alarms in {done} searches of {trainings} trainings at α = 0.05 ", end="")
    print(f"(95 % interval {low:.4f} to {high:.4f}), {time.process_time() - began:.0f} CPU s")
    print("\n".join(alarms))


def _searched(exhibit: Exhibit, trainings: int, seed: int) -> str | None:
    base = exhibit.pair.base
    everything = np.vstack([base.X, exhibit.pair.neighbour.X])
    box = base.domain or Box(np.minimum(everything.min(axis=0), 0), np.maximum(everything.max(axis=0), 1))
    mechanism = FunctionMechanism(exhibit.healthy, exhibit.claim)
    data = Dataset(base.X, base.y, box)
    try:
        return audit(
            mechanism, data, attack=Search(), rows=(1, 2), trainings=trainings, seed=seed, repeat=False
        ).verdict
    except AuditError:
        return None  # no legal neighbour, say


def classes(seed: int, columns: int, trainings: int = 2000, *learners: str) -> None:
    print(f"`--data worst --max-columns {columns}`, ε = 1, {trainings} trainings, seed {seed}, under either relation")
    for name in learners or CLASSES:
        for relation in Relation:
            mechanism = load("mechanisms", name)(1.0)
            claim = replace(mechanism.claim, relation=relation)
            claimed = "claimed" if mechanism.claim.relation is relation else "not claimed"
            began = time.process_time()
            result = audit(mechanism, Worst(columns=columns), claim=claim, trainings=trainings, seed=seed)
            line = f"{result.verdict:11} ε ≥ {result.epsilon_lower:.2f}  {time.process_time() - began:.0f} s"
            print(f"{name:20} {relation.value:12} {claimed:12} {line}  {_won(result)}", flush=True)


def _won(result: AuditResult) -> str:
    data = result.provenance.dataset if result.provenance.dataset.startswith("worst") else ""
    return f"k = {result.pair.rows}, {result.attack} {data}".rstrip()


def main() -> None:
    commands: dict[str, Callable[..., None]] = {
        "tight": tight,
        "cells": cells,
        "healthy": healthy,
        "classes": classes,
    }
    asked = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    asked.add_argument("command", choices=commands)
    asked.add_argument("rest", nargs="*")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--columns", type=int, default=100)
    given = asked.parse_args()
    first = (given.seed, given.columns) if given.command == "classes" else (given.seed,)
    commands[given.command](*first, *(int(word) if word.isdigit() else word for word in given.rest))


if __name__ == "__main__":
    assert set(HAND_MADE) <= set(shipped("attacks"))
    main()
