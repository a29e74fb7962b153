"""What the attack search reaches, what it costs, and how often it accuses the innocent.

python benchmarks/search.py tight   [trainings]             five mechanisms of known ε, searched over crafted data
python benchmarks/search.py cells   [trainings] [learner …] the search against every hand-made attack, cell by cell
python benchmarks/search.py healthy [searches] [trainings]  false alarms on the zoo's healthy twins
python benchmarks/search.py classes [trainings] [learner …] diffprivlib's classes under either relation
"""

import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

from mlaudit.adapters.function import FunctionMechanism
from mlaudit.attacks.search import Search
from mlaudit.auditing import audit
from mlaudit.datasets._load import load_data
from mlaudit.datasets._prepare import Preparation
from mlaudit.errors import AuditError
from mlaudit.intervals._binomial import lower_limit, upper_limit
from mlaudit.plugins import load, shipped
from mlaudit.searching.worst import Worst
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.result import AuditResult
from mlaudit.zoo import Exhibit, exhibits

EPSILONS = (0.5, 1.0, 2.0, 4.0)
# What the most that any pair shows is, as a share of ε: the noise of output perturbation is made for twice what a row
# can do to the gradient of the logistic loss.
TIGHT = {"laplace": 1.0, "geometric": 1.0, "randomised_response": 1.0, "noisy_max": 1.0, "logistic_output": 0.5}
LEARNERS = ("naive_bayes", "logistic_objective", "logistic_output", "random_forest")
DATASETS = ("iris", "breast_cancer", "banknote")
HAND_MADE = ("clip_bkd", "swap_x", "far_corner", "influence", "prior_flip", "corner_flip", "mean_corner", "lone_flip")
CLASSES = (
    "naive_bayes",
    "logistic_objective",
    "random_forest",
    "linear_regression",
    "k_means",
    "pca",
    "standard_scaler",
)


def tight(trainings: int = 40_000) -> None:
    print(f"`--data worst`, {trainings} trainings, seed 0: bound, share of min(truth, ceiling), CPU seconds")
    for name, share in TIGHT.items():
        for epsilon in EPSILONS:
            began = time.process_time()
            result = audit(load("mechanisms", name)(epsilon), Worst(), trainings=trainings)
            most = min(share * epsilon, result.finding.bound.ceiling)
            found = f"{result.epsilon_lower:.3f}  {100 * result.epsilon_lower / most:5.1f} %"
            print(
                f"{name:20} ε = {epsilon:<4g} {found}  {time.process_time() - began:.1f} s  {_won(result)}",
                flush=True,
            )


def cells(trainings: int = 10_000, *learners: str) -> None:
    shares = []
    print(f"ε = 1, {trainings} trainings in all for each number: search, best hand-made attack, their ratio")
    for name in learners or LEARNERS:
        for source in DATASETS:
            mechanism = load("mechanisms", name)(1.0)
            data = load_data(source, None, getattr(mechanism, "preparation", Preparation()), [])
            began = time.process_time()
            found = audit(mechanism, data, attack=Search(), trainings=trainings)
            spent = time.process_time() - began
            hand_made = {attack: _bound(mechanism, data, attack, trainings) for attack in HAND_MADE}
            best = max(hand_made, key=lambda attack: hand_made[attack])
            shares.append(found.epsilon_lower / max(hand_made[best], 1e-9))
            line = f"{found.epsilon_lower:.3f}  {hand_made[best]:.3f} ({best})  {shares[-1]:.2f}  {spent:.0f} s"
            print(f"{name:20} {source:14} {line}  {_won(found)}", flush=True)
    print(f"mean ratio {np.mean(shares):.3f}, better in {sum(share > 1 for share in shares)} of {len(shares)} cells")


def _bound(mechanism: Any, data: Dataset, attack: str, trainings: int) -> float:
    try:
        return audit(mechanism, data, attack=load("attacks", attack)(), trainings=trainings).epsilon_lower
    except AuditError:
        return 0.0  # it does not apply


def healthy(searches: int = 1000, trainings: int = 400) -> None:
    """Every healthy twin of the zoo in turn, searched within the box of its exhibit's pair."""
    alarms: list[str] = []
    done, seed, began = 0, 0, time.process_time()
    while done < searches:
        for name, exhibit in exhibits().items():
            verdict = _searched(exhibit, trainings, seed) if done < searches else None
            if verdict is not None:
                done += 1
                alarms += [f"{name} (seed {seed})"] if verdict == "violation" else []
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
        return audit(mechanism, data, attack=Search(), rows=(1, 2), trainings=trainings, seed=seed).verdict
    except AuditError:
        return None  # no legal neighbour, say


def classes(trainings: int = 2000, *learners: str) -> None:
    print(f"`--data worst`, ε = 1, {trainings} trainings, each relation held against what it would claim")
    for name in learners or CLASSES:
        for relation in Relation:
            mechanism = load("mechanisms", name)(1.0)
            claim = replace(mechanism.claim, relation=relation)
            claimed = "claimed" if mechanism.claim.relation is relation else "not claimed"
            began = time.process_time()
            result = audit(mechanism, Worst(), claim=Claim(claim.epsilon, relation=relation), trainings=trainings)
            line = f"{result.verdict:11} ε ≥ {result.epsilon_lower:.2f}  {time.process_time() - began:.0f} s"
            print(f"{name:20} {relation.value:12} {claimed:12} {line}  {_won(result)}", flush=True)


def _won(result: AuditResult) -> str:
    data = result.provenance.dataset if result.provenance.dataset.startswith("worst") else ""
    return f"k = {result.pair.rows}, {result.attack} {data}".rstrip()


def main() -> None:
    commands = {"tight": tight, "cells": cells, "healthy": healthy, "classes": classes}
    name, *rest = sys.argv[1:] or ["tight"]
    commands[name](*(int(word) if word.isdigit() else word for word in rest))  # type: ignore[operator]


if __name__ == "__main__":
    assert set(HAND_MADE) <= set(shipped("attacks"))
    main()
