"""`mlaudit test` against `run`, `scan` and `run --data worst`, one by one, at about equal CPU seconds.

    python benchmarks/one_door.py --out one_door.jsonl       # a line for each learner and command; goes on if stopped
    python benchmarks/one_door.py --tally one_door.jsonl     # a Markdown table, and what `test` lost

Every learner that wraps a class of diffprivlib, DP-SGD as Opacus does it, and our own examples. The CPU seconds of a
`test` are measured first; the other commands get as many trainings as fit into them, by a measured cost of a
training. A command finds something if its verdict is "violated".
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from diffprivlib.models import GaussianNB
from numpy.random import SeedSequence

sys.path.append(str(Path(__file__).parents[1] / "examples"))

from diffprivlib_naive_bayes import naive_bayes
from my_learner import NoisyMeans
from my_mechanism import noisy_count

from mlaudit import Claim, Dataset, Relation, Worst, audit, refute, scan
from mlaudit.adapters.convert import as_mechanism
from mlaudit.auditing.arguments import resolve_data, resolve_mechanism
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.errors import AuditError
from mlaudit.types.edits import remove_rows

TRAININGS = 400  # of each detector of a test: effort smoke
ROWS = 40  # of the data: a fit of few rows is as telling, and cheaper
SEED = 1_800_000
MOST, FEWEST = 20_000, 200
COLUMNS = 4  # of crafted data, at most: a fit of many columns takes seconds
SMALL: dict[str, dict[str, Any]] = {  # cheaper by a factor of ten and more
    "random_forest": {"trees": 3, "depth": 4},
    "dp_sgd": {"epochs": 1.0, "rate": 0.5, "rows": ROWS},
}
ADD = Claim(1.0, relation=Relation.ADD_REMOVE)


def load(name: str) -> tuple[Any, Dataset, Claim]:
    """A learner, the data and the claim."""
    one, private = Claim(1.0), Claim(1.0, 1e-5, Relation.ADD_REMOVE)
    claim = ADD if name in ("random_forest", "decision_tree", "k_means") else private if name == "dp_sgd" else one
    learners = {
        "examples: NoisyMeans": NoisyMeans(),
        "examples: noisy_count": noisy_count,
        "examples: naive_bayes": naive_bayes(1.0),
        "GaussianNB without bounds": GaussianNB(epsilon=1.0),
    }
    learner = learners[name] if name in learners else resolve_mechanism(name, claim)
    learner = replace(learner, **SMALL[name]) if name in SMALL else learner
    mechanism = as_mechanism(learner, claim)
    source: Any = {"examples: noisy_count": Dataset([0.0, 1.0, 1.0, 0.0, 1.0]), "dp_sgd": "fashion_mnist"}
    data = cast(Dataset, resolve_data(source.get(name, "iris"), mechanism))
    return mechanism, remove_rows(data, range(ROWS // 2, len(data) - ROWS // 2)), claim


LEARNERS = (
    "naive_bayes", "logistic_objective", "logistic_output", "GaussianNB without bounds", "examples: NoisyMeans",
    "examples: noisy_count", "k_means", "decision_tree", "standard_scaler", "pca", "examples: naive_bayes",
    "random_forest", "dp_sgd", "linear_regression",
)  # fmt: skip


def cost_of(mechanism: Any, data: Dataset) -> float:
    """CPU seconds of a training with its share of an audit's own work."""
    inside = data.within(mechanism.domain(data))
    began = time.process_time()
    for index in range(12):
        mechanism.fit(inside, SeedSequence(index))
    return (time.process_time() - began) / 12 + 5e-4


def try_command(command: str, name: str, budget: float) -> dict[str, Any]:
    """One command on one learner."""
    learner, data, claim = load(name)
    settings: dict[str, Any] = {"claim": claim, "seed": SEED, "engine": InProcess()}
    trainings = 0 if command == "test" else int(np.clip(budget / cost_of(learner, data), FEWEST, MOST))
    calls: dict[str, Callable[[], Any]] = {
        "test": lambda: refute(learner, data, **settings, trainings=TRAININGS),
        "run": lambda: audit(learner, data, **settings, trainings=trainings, sampler="library"),
        "run --data worst": lambda: audit(
            learner, Worst(columns=COLUMNS), **settings, trainings=trainings, sampler="library"
        ),
        "scan": lambda: scan(learner, data, **settings, pilot=20, trainings=max(trainings // 20, FEWEST)),
    }
    began = time.process_time()
    asked = {"learner": name, "command": command, "trainings": trainings}
    try:
        result = calls[command]()
    except AuditError as error:
        return {**asked, "error": str(error)[:200], "cpu": round(time.process_time() - began, 1)}
    found = [one.place for one in result.findings] if command == "test" else []
    return {
        **asked,
        "verdict": result.verdict,
        "epsilon_lower": result.epsilon_lower,
        "found": found,
        "cpu": round(time.process_time() - began, 1),
    }


def tally(path: Path) -> None:
    """Print a row for each learner, and the learners whose violation only another command found."""
    rows: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for one in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        rows[one["learner"]][one["command"]] = one
    commands = ("test", "run", "scan", "run --data worst")
    print("| learner | " + " | ".join(f"{command} | CPU s" for command in commands) + " |")
    print("| --- |" + " --- | --- |" * len(commands))
    for name, by in rows.items():
        cells = []
        for command in commands:
            one = by.get(command, {})
            verdict = one.get("verdict", "refused" if "error" in one else "").replace("_", " ")
            cells += [
                f"{verdict} {one['epsilon_lower']:.3g}" if "epsilon_lower" in one else verdict,
                f"{one.get('cpu', '')}",
            ]
        print(f"| {name} | " + " | ".join(cells) + " |")
    lost = [
        f"{name} ({command})"
        for name, by in rows.items()
        for command in commands[1:]
        if by.get(command, {}).get("verdict") == "violated" and by["test"].get("verdict") != "violated"
    ]
    print(f"\nlost by test: {', '.join(lost) or 'nothing'}")


def main() -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tally", type=Path)
    given = parser.parse_args()
    if given.tally:
        tally(given.tally)
        return
    known = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    done = {(one["learner"], one["command"]): one for one in map(json.loads, known)}
    with given.out.open("a", encoding="utf-8") as file:
        for name in LEARNERS:
            for command in ("test", "run", "scan", "run --data worst"):
                if (name, command) not in done:
                    budget = done.get((name, "test"), {}).get("cpu", 0.0)
                    done[name, command] = try_command(command, name, budget)
                    file.write(json.dumps(done[name, command], ensure_ascii=False) + "\n")
                    file.flush()


if __name__ == "__main__":
    main()
