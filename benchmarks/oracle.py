"""How much of the oracle's bound an audit shows: docs/results/oracle.md.

The oracle scores every training by its exact log-likelihood ratio ln p(z | D)/p(z | D′), counts all trainings that
the audit labelled, burn-in included, and uses the same scan. Lines are appended to a file; an interrupted run goes on
where it stopped.

    python benchmarks/oracle.py runs/oracle.jsonl --trainings 2000,10000 --repetitions 5
    python benchmarks/oracle.py runs/oracle.jsonl --table
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from exact_ratios import Cell, make_cell

from mlaudit import audit
from mlaudit.procedures.progressive import Progressive
from mlaudit.statistics import nested_scan
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair

ALPHA = 0.05
EPSILONS = (0.5, 1.0, 2.0, 4.0)
NAMES = (
    "laplace single 10",
    "laplace spread 10",
    "laplace spread 100",
    "gaussian spread 10",
    "logistic_output iris",
    "logistic_output breast_cancer",
    "naive_bayes iris",
    "naive_bayes breast_cancer",
)
LEAST = 0.05  # an oracle's bound below it says nothing about a share of it
FIRST_SEED = 7_390_000  # no choice of the distinguisher was made on these seeds


@dataclass
class Recorder:
    """Passes on what a sampler draws and keeps it."""

    draw: Any
    draws: list[Draws] = field(default_factory=list)
    seconds: float = 0.0

    def __call__(self, labels: Any) -> Draws:
        began = time.process_time()
        self.draws.append(self.draw(labels))
        self.seconds += time.process_time() - began
        return self.draws[-1]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.draw, name)


@dataclass
class Measured:
    """A procedure that also counts the oracle's guesses on the trainings that it drew."""

    procedure: Any
    ratio: Callable[[Any], Any]
    oracle: float = 0.0
    learning: float = 0.0

    def __call__(self, draw: Any, claim: Claim, pair: Pair, alpha: float) -> Finding:
        recorder, began = Recorder(draw), time.process_time()
        found: Finding = self.procedure(recorder, claim, pair, alpha)
        self.learning = time.process_time() - began - recorder.seconds
        self.oracle = oracle_bound(self.ratio, recorder.draws, claim, pair, alpha)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.procedure, name)


def oracle_bound(ratio: Callable[[Any], Any], parts: list[Draws], claim: Claim, pair: Pair, alpha: float) -> float:
    """The bound of the same scan if every training is scored by its exact log-likelihood ratio."""
    scores = np.concatenate([np.round(ratio(part.z), 9) for part in parts])
    labels, steps = np.concatenate([part.labels for part in parts]), pair.steps(claim.relation)
    sizes = np.floor(np.array(Progressive().fractions) * len(scores) + 0.5).astype(int)
    order = np.argsort(-np.abs(scores), kind="stable")
    correct = np.cumsum(((scores > 0) == (labels == 1))[order])[sizes - 1]
    return nested_scan.lower_bound(correct, sizes, alpha, delta=claim.delta, steps=steps)


def measure(cell: Cell, trainings: int, seed: int) -> dict[str, float | str]:
    """One audit with the default distinguisher, and the oracle on its trainings."""
    procedure = Measured(Progressive(), cell.ratio)
    began = time.process_time()
    result = audit(
        cell.mechanism, pair=cell.pair, procedure=procedure, trainings=trainings, alpha=ALPHA, seed=seed, repeat=False
    )
    scorer = getattr(result.finding.witness.scorer, "scorers", (None,))[0]
    return {
        "oracle": procedure.oracle,
        "bound": result.epsilon_lower,
        "rule": str(getattr(scorer, "rule", type(scorer).__name__)),
        "learning": round(procedure.learning, 4),
        "cpu": round(time.process_time() - began, 4),
    }


def jobs(names: list[str], sizes: list[int], repetitions: int) -> Iterator[tuple[int, str, float, int]]:
    """Repetitions outermost, so that an interrupted run has all cells."""
    for repetition, trainings in product(range(repetitions), sizes):
        for name, epsilon in product(names, EPSILONS):
            yield repetition, name, epsilon, trainings


def run(path: Path, names: list[str], sizes: list[int], repetitions: int) -> None:
    """Measure what the file does not hold yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    have = {(row["seed"], row["cell"], row["epsilon"], row["trainings"]) for row in read(path)}
    for repetition, name, epsilon, trainings in jobs(names, sizes, repetitions):
        seed = FIRST_SEED + repetition
        if (seed, name, epsilon, trainings) in have:
            continue
        row = {"seed": seed, "cell": name, "epsilon": epsilon, "trainings": trainings}
        row |= measure(make_cell(name, epsilon), trainings, seed)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """All lines so far."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def table(rows: list[dict[str, Any]]) -> str:
    """Mean bounds, oracle / audit, for every cell, and the share of the oracle."""
    out = []
    for trainings in sorted({row["trainings"] for row in rows}):
        here = [row for row in rows if row["trainings"] == trainings]
        cells = [(name, epsilon) for name, epsilon in product(NAMES, EPSILONS) if _of(here, name, epsilon)]
        runs = min(len(_of(here, *cell)) for cell in cells)
        out += ["", f"{trainings} trainings, at least {runs} audits a cell", ""]
        out.append("| oracle / audit | " + " | ".join(f"ε = {e:g}" for e in EPSILONS) + " | share | CPU s |")
        out.append("| --- |" + " --- |" * (len(EPSILONS) + 2))
        for name in [name for name in NAMES if any(row["cell"] == name for row in here)]:
            out.append(_line(name, [row for row in here if row["cell"] == name]))
        shares = [share for cell in cells if (share := _share(here, *cell)) is not None]
        out.append(
            f"\nMean share over the {len(shares)} cells in which the oracle shows {LEAST}: {fmean(shares):.3f}"
        )
    return "\n".join(out)


def _of(rows: list[dict[str, Any]], name: str, epsilon: float) -> list[dict[str, Any]]:
    return [row for row in rows if row["cell"] == name and row["epsilon"] == epsilon]


def _share(rows: list[dict[str, Any]], name: str, epsilon: float) -> float | None:
    """The audit's mean bound divided by the oracle's; None if the oracle shows too little to divide by."""
    here = _of(rows, name, epsilon)
    oracle = fmean(row["oracle"] for row in here)
    return fmean(row["bound"] for row in here) / oracle if oracle >= LEAST else None


def _line(name: str, rows: list[dict[str, Any]]) -> str:
    cells = []
    for epsilon in EPSILONS:
        here = _of(rows, name, epsilon)
        means = [fmean(row[key] for row in here) for key in ("oracle", "bound")] if here else []
        cells.append(" / ".join(f"{mean:.3f}" for mean in means))
    shares = [share for e in EPSILONS if _of(rows, name, e) and (share := _share(rows, name, e)) is not None]
    cpu = fmean(row["cpu"] for row in rows)
    return f"| {name} | " + " | ".join(cells) + f" | {fmean(shares):.2f} | {cpu:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="the file of measured lines")
    parser.add_argument("--trainings", default="2000,10000", help="numbers of trainings, with commas")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--cells", default=",".join(NAMES), help="names of cells, with commas")
    parser.add_argument("--table", action="store_true", help="only print the table of what was measured")
    said = parser.parse_args()
    if not said.table:
        run(said.path, said.cells.split(","), [int(n) for n in said.trainings.split(",")], said.repetitions)
    print(table(read(said.path)))


if __name__ == "__main__":
    main()
