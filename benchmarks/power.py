"""The power table of docs/power.md: mean bounds of each procedure, and how often a bound exceeds the truth.

python benchmarks/power.py [repetitions] [trainings]
"""

import sys

import numpy as np
from shifted_laplace import PAIR, ShiftedLaplace

from mlaudit import audit
from mlaudit.classifiers.logistic import Logistic
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Procedure

EPSILONS = (0.5, 1.0, 2.0, 4.0)


def procedures() -> dict[str, Procedure]:
    logistic = (Logistic(),)
    return {
        "two_phase as in the paper (r = .01, z = 1.96)": TwoPhase.as_in_the_paper(),
        "two_phase, exact interval": TwoPhase(logistic),
        "progressive, logistic": Progressive(logistic),
        "progressive, classifier chosen on the burn-in": Progressive(),
    }


def main() -> None:
    repetitions, trainings = (int(v) for v in [*sys.argv[1:], "300", "2000"][:2])
    print(f"{repetitions} repetitions of {trainings} trainings; mean bound (share of bounds above the true ε)\n")
    for d in (1, 10):
        print(f"| {d}-D Laplace | " + " | ".join(f"ε = {e:g}" for e in EPSILONS) + " |")
        print("| --- |" + " --- |" * len(EPSILONS))
        for name, procedure in procedures().items():
            cells = []
            for epsilon in EPSILONS:
                run = [
                    audit(ShiftedLaplace(epsilon, d), pair=PAIR, procedure=procedure, trainings=trainings, seed=s)
                    for s in range(repetitions)
                ]
                bounds = np.array([result.epsilon_lower for result in run])
                cells.append(f"{bounds.mean():.3f} ({(bounds > epsilon).mean():.3f})")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
