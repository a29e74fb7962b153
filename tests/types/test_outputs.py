"""Complex numbers and Decimals are outputs, wherever the output of a learner becomes a vector."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, RandomState, SeedSequence
from sklearn.base import BaseEstimator

from mlaudit import Claim, Dataset, EstimatorMechanism, FunctionMechanism, Pair, Relation, audit
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.canaries.draws import StepDraw, draw_canaries
from mlaudit.drawing.outcome import observe
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.scanning.answers import read_answers
from mlaudit.scanning.walk import read_attributes
from mlaudit.testing.mechanism import check_mechanism
from mlaudit.testing.recipe import compile_recipe
from mlaudit.types.arrays import BoolArray
from mlaudit.types.outputs import read_numbers

DATA = Dataset([0.0, 0.5])
PAIR = Pair(DATA, Dataset([1.0, 0.5]))
CLAIM = Claim(1.0)
KINDS = ["complex", "decimal", "both"]
READ = [
    (1 + 2j, [1.0, 2.0]),
    (np.complex64(1 + 2j), [1.0, 2.0]),
    ([[1j, 2], [3, 4]], [[0.0, 1.0, 2.0, 0.0], [3.0, 0.0, 4.0, 0.0]]),
    (np.array([[1j, 2], [3, 4]]).T, [[0.0, 1.0, 3.0, 0.0], [2.0, 0.0, 4.0, 0.0]]),
    (Decimal("0.5"), 0.5),
    ([Decimal("0.5"), 2, Fraction(1, 4)], [0.5, 2.0, 0.25]),
    ([Decimal("0.5"), 2j], [0.5, 0.0, 0.0, 2.0]),
    (Decimal("1e999"), np.inf),
    (Decimal("sNaN"), np.nan),
]


def made(kind: str, value: float) -> Any:
    """A number as an output of that kind."""
    both = [complex(value, -value), Decimal(repr(value))]
    return {"complex": both[0], "decimal": both[1], "both": both}[kind]


def numbers_of(kind: str, value: float) -> list[float]:
    """The vector that this output must become."""
    return {"complex": [value, -value], "decimal": [value], "both": [value, -value, value, 0.0]}[kind]


def noise(rng: Generator | RandomState) -> float:
    return float(rng.laplace())


@dataclass(frozen=True)
class Noisy:
    """A learner with fit and bounds that returns its output or keeps it in an attribute."""

    kind: str
    keeps: bool = False
    bounds = (0, 1)

    def fit(self, X: Any, rng: Generator) -> Any:
        found = made(self.kind, noise(rng))
        if not self.keeps:
            return found
        kept = np.asarray(found) if self.kind == "both" else found
        object.__setattr__(self, "found_", kept)
        object.__setattr__(self, "text_", "no number")
        return None


class NoisyEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator whose fitted attribute is such an output."""

    def __init__(self, kind: str = "complex", random_state: Any = None) -> None:
        self.kind, self.random_state = kind, random_state

    def fit(self, X: Any, y: Any = None) -> "NoisyEstimator":
        self.found_ = np.asarray(made(self.kind, noise(np.random.RandomState(3))))
        self.text_ = "no number"
        return self


def noisy_complex(data: Any, rng: Generator) -> Any:
    return made("complex", noise(rng))


def noisy_decimal(data: Any, rng: Generator) -> Any:
    return made("decimal", noise(rng))


def noisy_both(data: Any, rng: Generator) -> Any:
    return made("both", noise(rng))


FUNCTIONS = {"complex": noisy_complex, "decimal": noisy_decimal, "both": noisy_both}
MECHANISMS: dict[str, Any] = {
    "function": lambda kind: FunctionMechanism(FUNCTIONS[kind], CLAIM),
    "returned": lambda kind: FittedMechanism(Noisy(kind), CLAIM),
    "kept": lambda kind: FittedMechanism(Noisy(kind, keeps=True), CLAIM),
    "estimator": lambda kind: EstimatorMechanism(NoisyEstimator(kind), CLAIM),
}


@pytest.mark.parametrize(("output", "wanted"), READ, ids=str)
def test_numbers_are_read_as_floats(output: Any, wanted: Any) -> None:
    read = read_numbers(output)
    assert read is not None
    np.testing.assert_allclose(read, wanted)


@pytest.mark.parametrize("output", [None, "1", b"1", {"a": 1}, [1j, None], [[1j], [1j, 2]], object(), 10**400])
def test_what_is_no_number_is_not_read(output: Any) -> None:
    assert read_numbers(output) is None


def test_what_is_read_is_no_window_on_the_learners_array() -> None:
    output = np.array([1j])
    read = read_numbers(output)
    assert read is not None
    read[:] = 7.0
    assert output.tolist() == [1j]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_and_its_script_give_the_same_numbers(name: str, kind: str) -> None:
    mechanism: Mechanism = MECHANISMS[name](kind)
    found = observe(lambda: mechanism.summary(mechanism.fit(DATA, SeedSequence(0)), None)).vector
    np.testing.assert_allclose(found, numbers_of(kind, found[0]))
    assert len(found) == len(numbers_of(kind, 0.0))
    script = compile_recipe(mechanism, DATA, None)(DATA.X, None, 0)
    np.testing.assert_allclose(script, numbers_of(kind, script[0]))


@dataclass(frozen=True)
class Batched(FunctionMechanism):
    """Draws rows of complex numbers at once."""

    def sample(self, data: Dataset, target: object, n: int, seed: SeedSequence) -> Any:
        return np.arange(n)[:, None] * np.array([[1 + 1j, 2j]])


def test_a_batch_of_complex_rows_keeps_both_parts() -> None:
    block = TrainingStream(Batched(noisy_complex, CLAIM), DATA, None, 0).draw(0, 3)
    np.testing.assert_allclose(block.z, [[0, 0, 0, 0], [1, 1, 0, 2], [2, 2, 0, 4]])
    failed = [check for check in check_mechanism(Batched(noisy_complex, CLAIM), PAIR) if not check.passed]
    assert [check.detail for check in failed] == ["sample gave (3, 4) for 3 trainings of 2 numbers"]


def leak_in_imaginary_part(data: Dataset, rng: Generator) -> complex:
    return complex(rng.laplace(), data.X.sum())


@pytest.mark.slow
def test_a_leak_in_the_imaginary_part_is_found() -> None:
    # Fails for a correct program with probability < 1e-9: after one training of either side every guess is right.
    assert audit(FunctionMechanism(leak_in_imaginary_part, CLAIM), pair=PAIR, trainings=200).violated


class Predicting:
    """A model with such numbers inside, and as its predictions."""

    def __init__(self) -> None:
        self.root_, self.roots_, self.price_ = 1 + 2j, np.array([3j]), Decimal("0.5")

    def predict(self, X: Any) -> Any:
        return [Decimal("1.5"), 2j]


def test_a_scan_reads_both_parts() -> None:
    wanted = {"root_.real": 1.0, "root_.imag": 2.0, "roots_.imag[0]": 3.0, "roots_.imag.sum": 3.0, "price_": 0.5}
    assert wanted.items() <= read_attributes(Predicting()).items()
    answers = read_answers(Predicting(), np.zeros((2, 1)))
    assert answers == {"predict(row 0)": 1.5, "predict(row 1)[0]": 0.0, "predict(row 1)[1]": 2.0}


@dataclass(frozen=True)
class Steps:
    """A trainer whose steps show one complex number, and whose scores are complex."""

    steps: int = 3
    rate: float = 1.0
    claim: Claim = Claim(1.0, 1e-5, Relation.ADD_REMOVE)  # noqa: RUF009 - frozen

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> Any:
        return [complex(step, 1) for step in inserted]

    def scores(self, included: BoolArray, seed: SeedSequence) -> Any:
        return included * 1j


def test_a_step_may_show_complex_numbers_and_a_score_may_not_be_one() -> None:
    assert StepDraw(Steps(), 0, 1)(np.array([1, 0, 1])).z.tolist() == [[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    with pytest.raises(InvalidInput, match=r"one score for each of 20 canaries and no NaN, got shape \(40,\)"):
        draw_canaries(Steps(), 20, 0)
