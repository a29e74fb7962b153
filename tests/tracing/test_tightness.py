"""Tightness: no audit shows more than a transcript costs, on random small mechanisms.

A mechanism is a few noisy answers (sums, means, counts, largest values) with random laws and scales, and random
post-processing of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.random import Generator

from mlaudit import Claim, Dataset, Pair, audit
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.procedures.sequential import Sequential
from mlaudit.tracing.run import trace

LOW = 0.01  # a claim that every audit refutes if it can: bounds are then as high as they get
EXAMPLES = 6

QUERIES: dict[str, Callable[[np.ndarray], Any]] = {
    "sum": lambda X: X.sum(),
    "mean": lambda X: X.mean(axis=0),
    "count": lambda X: (X > 0.5).sum(),
    "largest": lambda X: X.max(axis=0),
}
NOISES: dict[str, Callable[[Generator, float, tuple[int, ...]], Any]] = {
    "laplace": lambda rng, b, size: rng.laplace(0.0, b, size),
    "scaled laplace": lambda rng, b, size: b * rng.laplace(size=size),
    "logistic": lambda rng, b, size: rng.logistic(0.0, b, size),
    "normal": lambda rng, b, size: rng.normal(0.0, b, size),
    "two exponentials": lambda rng, b, size: rng.exponential(b, size) - rng.exponential(b, size),
}
ENDS: dict[str, Callable[[np.ndarray], Any]] = {
    "as it is": lambda z: z,
    "rounded": np.rint,
    "clipped": lambda z: np.clip(z, -1.0, 2.0),
    "squared": lambda z: z**2,
    "shifted": lambda z: 3.0 * z - 1.0,
    "sorted": np.sort,
    "added up": lambda z: z.sum(keepdims=True),
    "place of the largest": lambda z: np.array([float(np.argmax(z))]),
}


@dataclass(frozen=True)
class Mechanism:
    """Noisy answers to queries, each with a law and a scale, and what is done with all of them together."""

    steps: tuple[tuple[str, str, float], ...]
    end: str

    def __call__(self, data: Dataset, rng: Generator) -> Any:
        answers = []
        for query, noise, scale in self.steps:
            exact = QUERIES[query](data.X)
            answers.append(np.ravel(exact + NOISES[noise](rng, scale, np.shape(exact))))
        return ENDS[self.end](np.concatenate(answers))


MECHANISMS = st.builds(
    Mechanism,
    st.lists(
        st.tuples(st.sampled_from([*QUERIES]), st.sampled_from([*NOISES]), st.floats(0.3, 3.0)),
        min_size=1,
        max_size=3,
    ).map(tuple),
    st.sampled_from([*ENDS]),
)
ROWS = st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4)


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    mechanism=MECHANISMS, rows=ROWS, row=st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), seed=st.integers(0, 999)
)
@example(mechanism=Mechanism((("sum", "laplace", 0.3),), "as it is"), rows=[0.0] * 4, row=(1.0, 1.0), seed=0)
def test_no_audit_shows_more_than_the_transcript_costs(
    mechanism: Mechanism, rows: list[float], row: tuple[float, float], seed: int
) -> None:
    # Fails for a correct program with probability < 1e-5: 7 bounds, each wrong with probability 1e-6.
    base = np.reshape(rows, (2, 2))
    other = np.vstack([base[:1], row])
    if (base == other).all():
        return
    pair = Pair(Dataset(base), Dataset(other))
    gaussian = any(noise == "normal" for _, noise, _ in mechanism.steps)
    claim = Claim(LOW, delta=1e-3 if gaussian else 0.0)
    found = trace(mechanism.__call__, pair=pair, claim=claim, rounds=2, prove=False, seed=seed)
    assert not found.notes, "every law, query and end of this file can be followed"
    shown = audit(
        mechanism.__call__,
        pair=pair,
        claim=claim,
        procedure=Sequential(beyond=20.0),
        trainings=200,
        alpha=1e-6,
        seed=seed,
        repeat=False,
        engine=InProcess(),
    )
    assert shown.epsilon_lower <= found.transcript
    if found.limit is not None:
        assert shown.epsilon_lower <= found.limit
