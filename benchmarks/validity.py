"""The table of docs/validity.md: how often a bound exceeds the ε that a mechanism is known to have.

python benchmarks/validity.py [audits] [trainings]
"""

import sys

from mlaudit import audit
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.randomised_response import RandomisedResponse
from mlaudit.procedures.gdp_accuracy import GdpAccuracy
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Mechanism, Procedure

ALPHA = 0.05


def false_alarms(
    mechanism: Mechanism, procedure: Procedure, rows: tuple[int, ...], *, seeds: range, trainings: int
) -> int:
    """Audits, one for each seed, whose bound exceeds the ε that the mechanism is known to have."""
    results = (
        audit(mechanism, procedure=procedure, rows=rows, trainings=trainings, alpha=ALPHA, seed=seed, repeat=False)
        for seed in seeds
    )
    return sum(result.epsilon_lower > mechanism.claim.epsilon for result in results)


def main() -> None:
    audits, trainings = (int(v) for v in [*sys.argv[1:], "500", "600"][:2])
    procedures: dict[str, Procedure] = {
        "progressive": Progressive(),
        "two_phase": TwoPhase(),
        "two_phase as in the paper": TwoPhase.as_in_the_paper(),
    }
    print(f"{audits} audits of {trainings} trainings each at α = {ALPHA}; bounds above the true ε\n")
    print("| mechanism, at exactly its claim | " + " | ".join(procedures) + " |")
    print("| --- |" + " --- |" * len(procedures))
    cases: list[tuple[str, Mechanism, tuple[int, ...]]] = [
        ("Laplace, ε = 1, rows chosen among 1 and 2", Laplace(1.0), (1, 2)),
        ("randomised response, ε = 1, rows chosen among 1 and 2", RandomisedResponse(1.0), (1, 2)),
        ("Gaussian, ε = 1, δ = 1e-5", Gaussian(1.0, 1e-5), (1,)),
    ]
    for name, mechanism, rows in cases:
        shares = [
            false_alarms(mechanism, procedure, rows, seeds=range(audits), trainings=trainings) / audits
            for procedure in procedures.values()
        ]
        print(f"| {name} | " + " | ".join(f"{share:.3f}" for share in shares) + " |", flush=True)
    gaussian = (
        false_alarms(Gaussian(1.0, 1e-5), GdpAccuracy(), (1,), seeds=range(audits), trainings=trainings) / audits
    )
    print(f"\ngdp_accuracy on the Gaussian mechanism, whose μ is exactly the claim's: {gaussian:.3f}")


if __name__ == "__main__":
    main()
