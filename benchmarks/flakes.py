"""How often `assert_private` fails on a learner that keeps its promise, and how fast on one that does not.

python benchmarks/flakes.py [runs] [trainings]
"""

import sys
import time
from pathlib import Path

import numpy as np
from diffprivlib.models import GaussianNB

from mlaudit import Search
from mlaudit.testing import PrivacyViolation, assert_private

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))


def main() -> None:
    from test_private_naive_bayes import Forgetful, iris

    runs, trainings = (int(v) for v in [*sys.argv[1:], "1000", "200"][:2])
    data = iris()
    failed = 0
    for seed in range(runs):
        try:
            assert_private(_learner(GaussianNB), data, epsilon=1.0, attack=Search(), trainings=trainings, seed=seed)
        except PrivacyViolation as violation:
            failed += 1
            print(f"seed {seed}: {violation}", flush=True)
    print(f"Naive Bayes as it is: {failed} of {runs} runs of {trainings} trainings failed at a flake rate of 1e-4")
    seconds, spent = [], []
    for seed in range(20):
        began = time.perf_counter()
        try:
            assert_private(_learner(Forgetful), data, epsilon=1.0, seed=seed)
        except PrivacyViolation as violation:
            spent.append(violation.result.trainings)
        seconds.append(time.perf_counter() - began)
    found = f"failed in {len(spent)} of 20 runs after {min(spent)} to {max(spent)} trainings"
    print(f"counts without noise: {found}, {np.median(seconds):.2f} s (at most {max(seconds):.2f})")


def _learner(cls: type) -> object:
    return cls(epsilon=1.0, bounds=(0.0, 1.0), random_state=0)


if __name__ == "__main__":
    main()
