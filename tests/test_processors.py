"""Same seed, same numbers on another processor: computed points, and bounds."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from mlaudit import Box, Dataset, L2Ball
from mlaudit.attacks._directions import principal_directions
from mlaudit.types.rounding import round_computed

PROGRAM = """
import json
from mlaudit import audit
from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.attacks.influence import Influence
from mlaudit.datasets._load import load_data
from mlaudit.types.preparation import Preparation
from mlaudit.mechanisms.logistic_output import LogisticOutput

data = load_data("breast_cancer", None, Preparation(rows=200), [])
found = []
for attack in (Influence(), ClipBkd()):
    result = audit(LogisticOutput(4.0), data, attack=attack, rows=(2, 8), trainings=400)
    found.append([result.epsilon_lower, result.pair.neighbour.digest, result.finding.evidence.correct])
print(json.dumps(found))
"""


def audited(kernel: str) -> list[tuple[float, str, list[int]]]:
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True, timeout=1200
    )
    return [tuple(row) for row in json.loads(done.stdout)]


@pytest.mark.slow
def test_two_kernels_give_the_same_pair_and_the_same_bound() -> None:
    # Fails for a correct program with probability < 1e-5: x* has 60 numbers in all, and one of them would have to lie
    # within 1e-12 of its size of where 6 digits round either way (2e-7 of the way between two roundings, at most).
    ours, theirs = audited("Prescott"), audited("Haswell")
    for (bound, neighbour, correct), (other, same, also) in zip(ours, theirs, strict=True):
        assert neighbour == same
        assert correct == also
        assert bound == pytest.approx(other, abs=1e-9)


def test_computed_numbers_are_rounded_and_copied_ones_are_not() -> None:
    data = Dataset([[0.1234567891, 5.0], [1.0, 7.0]], domain=Box([0.0, 0.0], [1.0, 7.0]))
    assert round_computed(np.array([0.1234567891, 7.0]), data).tolist() == [0.1234567891, 7.0]
    assert round_computed(np.array([0.12345678, 0.0]), data).tolist() == [0.123457, 0.0]
    # A number that should be a bound, and misses it by the last digits, is the bound.
    assert round_computed(np.array([1.0 - 1e-12, 7.0 * (1 - 1e-12)]), data).tolist() == [1.0, 7.0]


@pytest.mark.parametrize("seed", range(20))
def test_a_rounded_row_stays_in_the_ball(seed: int) -> None:
    rng = np.random.default_rng(seed)
    radius = float(rng.uniform(0.1, 100.0))
    ball = L2Ball(radius)
    data = Dataset(ball.project(rng.normal(size=(5, 7)) * radius), domain=ball)
    row = ball.project(100 * radius * rng.normal(size=(1, 7)))[0]
    settled = round_computed(row, data)
    assert float(np.linalg.norm(settled)) <= radius
    np.testing.assert_allclose(settled, row, rtol=2e-5)
    assert all(float(f"{value:.5e}") == value for value in settled.tolist())


def test_rows_of_the_data_stay_as_they_are_on_the_ball_as_well() -> None:
    data = Dataset([[0.6000000123, 0.8], [0.1, 0.2]])
    held = data.within(L2Ball.enclosing(data.X))
    assert round_computed(data.X[0], held).tolist() == data.X[0].tolist()


@pytest.mark.parametrize("seed", range(10))
def test_directions_do_not_take_their_sign_from_lapack(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(30, 4)) * [4.0, 3.0, 2.0, 1.0]
    np.testing.assert_allclose(principal_directions(X), principal_directions(-X), atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_directions_of_equal_variance_do_not_come_from_lapack(seed: int) -> None:
    # LAPACK's basis of such directions follows from rounding, so that it changes with the order of the rows.
    rng = np.random.default_rng(seed)
    one_hot = np.hstack([np.eye(k)[rng.integers(k, size=60)] for k in (2, 3, 4)])
    wide = rng.integers(5, size=(6, 20)).astype(float)
    equal = np.tile(np.eye(5), (8, 1))
    for X in (one_hot, wide, equal):
        directions = principal_directions(X)
        np.testing.assert_allclose(directions @ directions.T, np.eye(len(directions)), atol=1e-9)
        assert np.ptp(X @ directions[-1]) < 1e-9
        assert np.ptp(X @ directions[-2]) > 1e-9
        np.testing.assert_allclose(principal_directions(rng.permutation(X)), directions, atol=1e-6)
