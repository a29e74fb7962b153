"""Detected ε of the real libraries' learners, by attack: the rows of docs/results/library.csv. Resumes where it was.

python benchmarks/library_study.py OUT.csv STORE.sqlite LEARNER [--sampler library] [--data DATASET ...]
"""

import argparse
import csv
from pathlib import Path

from mlaudit import LokyEngine, SqliteStore, audit
from mlaudit.datasets._load import load_data
from mlaudit.naming.plugins import load
from mlaudit.types.traits import traits_of

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
DATASETS = ("iris", "breast_cancer", "credit_default", "adult")
ATTACKS = {
    "naive_bayes": ("corner_flip", "prior_flip", "clip_bkd", "swap_x", "mean_corner"),
    "logistic_output": ("influence", "clip_bkd", "swap_x", "coefficient"),
    "logistic_objective": ("influence", "clip_bkd", "swap_x", "coefficient"),
    "random_forest": ("lone_flip", "clip_bkd", "swap_x"),
}
COLUMNS = (
    "mechanism",
    "dataset",
    "attack",
    "epsilon",
    "epsilon_lower",
    "ceiling",
    "rows",
    "steps",
    "trainings",
    "sampler",
)


def rows_at(epsilon: float) -> int:
    """The paper's final choice of k."""
    return 8 if epsilon <= 2 else 2 if epsilon <= 8 else 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("store", type=Path)
    parser.add_argument("learner", choices=ATTACKS)
    parser.add_argument("--sampler", default="library")
    parser.add_argument("--data", nargs="+", default=DATASETS)
    given = parser.parse_args()
    out, store, learner = given.out, SqliteStore(given.store), given.learner
    done = set()
    if out.exists():
        with out.open(encoding="utf-8", newline="") as file:
            done = {(r["mechanism"], r["dataset"], r["attack"], float(r["epsilon"])) for r in csv.DictReader(file)}
    with out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, (*COLUMNS, "verdict", "notes"), extrasaction="ignore")
        if not done:
            writer.writeheader()
        for dataset in given.data:
            for epsilon in EPSILONS:
                # The paper's C: 10 for ε of 1 to 8, where the optimum of C = 1 degenerates.
                settings = {"C": 10.0} if learner == "logistic_objective" and epsilon >= 1 else {}
                mechanism = load("mechanisms", learner)(epsilon, **settings)
                data = load_data(dataset, how=traits_of(mechanism).preparation)
                for attack in ATTACKS[learner]:
                    if (learner, dataset, attack, epsilon) in done:
                        continue
                    result = audit(
                        mechanism,
                        data,
                        attack=load("attacks", attack)(),
                        rows=rows_at(epsilon),
                        trainings=400 if learner == "random_forest" else 4000,
                        sampler=given.sampler,
                        engine=LokyEngine(2),
                        store=store,
                    )
                    row = {**result.summary(), "epsilon": epsilon, "notes": "; ".join(result.provenance.notes)}
                    writer.writerow(row)
                    file.flush()
                    print(*(row[name] for name in COLUMNS), result.verdict, flush=True)


if __name__ == "__main__":
    main()
