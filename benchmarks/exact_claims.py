"""False alarms of the default procedure on mechanisms whose true ε is exactly their claim (docs/validity.md).

python benchmarks/exact_claims.py [audits] [trainings] [first seed]
"""

import sys
from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.special import expit

from mlaudit import Claim, Dataset, Pair, audit
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.randomised_response import RandomisedResponse
from mlaudit.types.arrays import FloatArray

PAIR = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 0.0]))
WIDTH = 10


@dataclass(frozen=True)
class Exact:
    """A mechanism of one bit with ε = 1. The kind says how its noise hides the bit."""

    kind: str
    delta: float = 0.0

    @property
    def claim(self) -> Claim:
        """What holds exactly."""
        return Claim(1.0, self.delta)

    def domain(self, data: Dataset) -> None:
        """None declared: the pair is given."""

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        """One output."""
        return np.asarray(self.sample(data, None, 1, seed)[0])

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        """The output itself."""
        return model

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """Laplace noise on one of ten coordinates or on all, or an answer that is the truth with probability δ."""
        rng, bit = default_rng(seed), float(data.X.sum())
        if self.kind == "canonical":
            revealed, lie = rng.random(n) < self.delta, rng.random(n) >= expit(1.0)
            return np.where(revealed, 2 + bit, np.abs(bit - lie))[:, None]
        shift = np.full(WIDTH, bit / WIDTH) if self.kind == "spread" else bit * (np.arange(WIDTH) == 0)
        return np.asarray(shift + rng.laplace(size=(n, WIDTH)))


def main() -> None:
    usual = ("420", "2000", "7700000")
    audits, trainings, first = (int(v) for v in (*sys.argv[1:], *usual[len(sys.argv) - 1 :]))
    print(f"{audits} audits of {trainings} trainings each at α = 0.05; seeds from {first} on\n")
    print("| mechanism, ε = 1 | bounds above the true ε |")
    print("| --- | --- |")
    cases: dict[str, Exact | RandomisedResponse | Gaussian] = {
        "Laplace, one coordinate of 10 tells": Exact("single"),
        "Laplace, spread over 10 coordinates": Exact("spread"),
        "canonical, δ = 0.01": Exact("canonical", 0.01),
        "randomised response": RandomisedResponse(1.0),
        "Gaussian, δ = 0.001": Gaussian(1.0, 1e-3),
    }
    for name, mechanism in cases.items():
        above = 0
        for seed in range(first, first + audits):
            pair = PAIR if isinstance(mechanism, Exact) else None
            result = audit(mechanism, pair=pair, rows=1, trainings=trainings, seed=seed, repeat=False)
            above += result.epsilon_lower > 1.0
        print(f"| {name} | {above} ({above / audits:.3f}) |", flush=True)


if __name__ == "__main__":
    main()
