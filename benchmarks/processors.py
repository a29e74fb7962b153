"""Nine audits of nine learners as other processors would compute them: the same bounds for the same seed?

python benchmarks/processors.py [TRAININGS]

OpenBLAS is told which kernels to use, and numpy which instructions not to use; each runs in a process of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tools"))
from kernels import Kernel, code_of, every_kernel, own_code

from mlaudit.types.traits import traits_of

LEARNERS = {
    "logistic_objective": "iris",
    "logistic_output": "breast_cancer",
    "naive_bayes": "iris",
    "random_forest": "iris",
    "decision_tree": "iris",
    "linear_regression": "iris",
    "pca": "iris",
    "standard_scaler": "iris",
    "k_means": "iris",
}
EPSILON = 8.0  # bounds are above 0 for every learner: equal zeros would show nothing
EQUAL = 1e-9


def audited(trainings: int) -> dict[str, tuple[float, str, list[int]]]:
    """In one of the processes: the bound, the neighbour and the right guesses of every audit."""
    from mlaudit import audit
    from mlaudit.datasets._load import load_data
    from mlaudit.naming.plugins import load
    from mlaudit.types.finding import GuessCounts

    found = {}
    for name, data in LEARNERS.items():
        mechanism = load("mechanisms", name)(EPSILON)
        usual = traits_of(mechanism).preparation
        result = audit(mechanism, load_data(data, None, usual, []), trainings=trainings)
        evidence = result.finding.evidence
        assert isinstance(evidence, GuessCounts)
        found[name] = (result.epsilon_lower, result.pair.neighbour.digest[:8], list(evidence.correct))
    return found


def main() -> None:
    trainings = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    if "--one" in sys.argv:
        print(json.dumps(audited(trainings)))
        return
    table: dict[str, dict[str, tuple[float, str, list[int]]]] = {}
    others = {code_of(kernel): kernel for kernel in reversed(every_kernel())}  # each code once, those that run here
    for kernel in (Kernel("this one"), *(others[code] for code in sorted(others) if code not in ("", own_code()))):
        command = [sys.executable, __file__, str(trainings), "--one"]
        done = subprocess.run(command, env=os.environ | kernel.variables, stdout=subprocess.PIPE, check=True)
        table[kernel.name] = json.loads(done.stdout)
    print(f"| learner (ε = {EPSILON:g}, {trainings} trainings) | {' | '.join(table)} | same neighbour | same bound |")
    print("| --- " * (len(table) + 3) + "|")
    for learner in LEARNERS:
        rows = [column[learner] for column in table.values()]
        bounds = [row[0] for row in rows]
        pair, bound = len({row[1] for row in rows}) == 1, max(bounds) - min(bounds) <= EQUAL
        cells = " | ".join(f"{value:.6g}" for value in bounds)
        print(f"| {learner} | {cells} | {'yes' if pair else 'NO'} | {'yes' if bound else 'NO'} |")


if __name__ == "__main__":
    main()
