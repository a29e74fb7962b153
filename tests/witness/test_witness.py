"""A violation made small, written as a script that runs, and explain_violation."""

import re
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng

from mlaudit import Claim, Dataset, Pair, audit
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.adapters.prediction_at import PredictionAt
from mlaudit.cli import main
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.plugins import load, shipped
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import HasRecipe, Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.domain import Box, Domain
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Bound
from mlaudit.types.traits import Traits, traits_of
from mlaudit.witness.event import Event, find_event, trainings_needed
from mlaudit.witness.explain import explain_violation
from mlaudit.witness.recipe import recipe_of
from mlaudit.witness.run import minimal_witness
from mlaudit.witness.script import write_script
from mlaudit.witness.simplify import simplify_pair
from mlaudit.witness.slots import pair_of, slots_of

WITH_RECIPE = [name for name in shipped("mechanisms") if isinstance(load("mechanisms", name)(), HasRecipe)]
EXAMPLE = Path(__file__).parents[2] / "examples" / "my_learner.py"


def some_pair(seed: int, *, labelled: bool, more: int) -> Pair:
    rng = default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    box = Box([-1.0] * d, [2.0] * d, (0, 1) if labelled else None)
    X, rows = rng.uniform(-1, 2, (n, d)), rng.uniform(-1, 2, (max(more, 1), d))
    y, labels = rng.integers(0, 2, n), rng.integers(0, 2, max(more, 1))
    base = Dataset(X, y if labelled else None, box)
    if more:
        both, tags = np.vstack([X, rows]), np.append(y, labels)
    else:
        both, tags = np.vstack([X[:-1], rows]), np.append(y[:-1], labels)
    return Pair(base, Dataset(both, tags if labelled else None, box), target=rows[0])


@given(seed=st.integers(0, 2**32 - 1), labelled=st.booleans(), more=st.integers(0, 2))
@settings(max_examples=30, deadline=None)
@pytest.mark.slow
def test_simpler_pairs_are_legal_and_no_larger(seed: int, labelled: bool, more: int) -> None:
    pair = some_pair(seed, labelled=labelled, more=more)
    assert pair_of(slots_of(pair), pair.base.domain, target=True).neighbour.digest == pair.neighbour.digest
    for other in simplify_pair(pair):
        domain = other.base.domain
        assert domain is not None
        assert domain.contains(np.vstack([other.base.X, other.neighbour.X])).all()
        assert (other.relation is pair.relation) or other.rows < pair.rows
        assert 1 <= other.rows <= pair.rows
        assert len(other.base) <= len(pair.base)
        assert other.base.X.shape[1] <= pair.base.X.shape[1]
        assert other.target is not None
        assert other.target.shape == (other.base.X.shape[1],)


def run_script(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=1200, check=False)


# Fails for a correct program with probability < 1e-6: two columns or more give ε = 2 or more for a claim of 1, which
# the audit's 4 000 trainings show with a bound of 3.36 ± 0.27, and the script with a loss of 1.31 ± 0.27 (of 20
# seeds). The script asserts three standard errors, which is not sure: what is asserted here is the loss that it
# prints.
@pytest.mark.slow
def test_one_command_audits_a_learner_with_nothing_but_fit_and_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    words = [f"{EXAMPLE}:NoisyMeans", "--epsilon", "1", "--data", "worst", "--out", str(out), "--quiet"]
    assert main(["run", *words, "--fail-on-violation"]) == 3
    printed = capsys.readouterr().out
    assert "VIOLATED" in printed
    assert re.search(r"witness +D has \d rows? × \d columns?: ε of at least", printed)
    script = out / "witness_NoisyMeans.py"
    text = script.read_text()
    assert "mlaudit" not in text
    shown = re.search(r"a loss of at least ([\d.]+), claimed 1", run_script(script).stdout)
    assert shown is not None
    assert float(shown[1]) > 0


@pytest.mark.slow
def test_a_script_of_a_library_s_learner_imports_it_and_numpy_alone(tmp_path: Path) -> None:
    box = Box([0.0], [1.0], (0, 1))
    pair = Pair(Dataset([0.0, 0.0], [0, 1], box), Dataset([0.0, 0.0], [0, 0], box))
    draws = drawn(NaiveBayes(), pair, 12)
    event = find_event(draws, draws)
    assert event.total
    needed = trainings_needed(event, 1.0)
    assert needed is not None
    script = tmp_path / "witness.py"
    script.write_text(write_script(NaiveBayes(), pair, Claim(1.0), event, needed))
    imported = re.findall(r"^(?:from|import) (\w+)", script.read_text(), re.MULTILINE)
    assert set(imported) == {"warnings", "numpy", "diffprivlib"}
    done = run_script(script)
    assert done.returncode == 0, done.stderr


def drawn(mechanism: Any, pair: Pair, n: int) -> Draws:
    from mlaudit.drawing.engines.loky import LokyEngine
    from mlaudit.drawing.loop import DrawingLoop
    from mlaudit.drawing.sampler import Sampler

    sampler = Sampler(mechanism, pair, 3, DrawingLoop(LokyEngine()), 2 * n)
    return sampler(np.tile(np.array([1, 0]), n))


@pytest.mark.parametrize("name", WITH_RECIPE)
@pytest.mark.slow
def test_a_recipe_gives_as_many_numbers_as_the_mechanism(name: str) -> None:
    mechanism = load("mechanisms", name)()
    X, y = default_rng(0).random((20, 2)), np.arange(20) % 2
    data = Dataset(X, y)
    data = data.within(mechanism.domain(data))
    scope: dict[str, Any] = {"np": np, "TARGET": X[0]}
    recipe = recipe_of(mechanism, data.domain)
    body = "\n".join(f"    {line}" for line in recipe.body.split("\n"))
    exec("\n".join([*recipe.imports, "def output(X, y, seed):", body]), scope)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scope["output"](X, y, 0)
    expected = mechanism.summary(mechanism.fit(data, np.random.SeedSequence(0)), X[0])
    assert np.shape(found) == np.shape(expected)


def test_every_learner_of_diffprivlib_has_a_recipe() -> None:
    libraries = {name: traits_of(load("mechanisms", name)()).library for name in shipped("mechanisms")}
    assert [name for name in libraries if libraries[name] == "diffprivlib"] == WITH_RECIPE


@dataclass(frozen=True)
class Another(NaiveBayes):
    """A subclass, which may train in another way than the recipe of its parent says."""


@pytest.mark.parametrize("mechanism", [Another(0.5), PredictionAt(NaiveBayes(0.5))])
def test_a_mechanism_without_a_recipe_of_its_own_is_made_again_by_the_script(mechanism: Mechanism) -> None:
    box = Box([0.0], [1.0], (0, 1))
    recipe = recipe_of(mechanism, box)
    scope: dict[str, Any] = {"np": np, "TARGET": np.array([0.5]), "X": np.array([[0.1], [0.9]]), "y": np.arange(2)}
    body = recipe.body.replace("return ", "found = ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec("\n".join([*recipe.imports, "seed = 3", body]), scope)
    assert scope["mechanism"] == mechanism
    data = Dataset(scope["X"], scope["y"], box)
    model = mechanism.fit(data, np.random.SeedSequence(3))
    np.testing.assert_array_equal(scope["found"], mechanism.summary(model, scope["TARGET"]))


class Crowded:
    """A sum of the last column with a tenth of the noise; rows and columns beside it do nothing."""

    bounds = (0, 1)

    def fit(self, X: Any, rng: Generator) -> Any:
        return X[:, -1].sum() + rng.laplace(scale=0.1)


# Fails for a correct program with probability < 1e-6: an ε of 9.4 or more is refuted after 25 to 40 trainings
# (log-normal, 0.14 wide, as clipped batches are in the zoo), and each simpler pair may take ten times as many: 16
# deviations.
@pytest.mark.slow
def test_a_violation_is_shrunk_to_one_row_and_one_column() -> None:
    rng = default_rng(0)
    box = Box([0.0] * 4, [1.0] * 4)
    X = rng.random((12, 4))
    other = X.copy()
    other[3] = 1 - other[3]
    other[3, -1], X[3, -1] = 0.97, 0.03
    pair = Pair(Dataset(X, None, box), Dataset(other, None, box))
    learner = FittedMechanism(Crowded(), Claim(1.0))
    result = audit(learner, pair=pair, procedure=Sequential(), trainings=3000)
    assert result.violated
    assert pair.rows == 1
    small = minimal_witness(result, learner, trainings=8000)
    assert small is not None
    assert small.minimal.pair.base.X.shape == (1, 1)
    assert small.minimal.pair.base.X.tolist() == [[0.0]]
    assert small.minimal.pair.neighbour.X.tolist() == [[1.0]]
    assert small.minimal.bound.epsilon > 1
    assert small.minimal.trainings <= 8000


@pytest.mark.slow
def test_what_cannot_be_imported_gets_no_script_and_says_so() -> None:
    pair = Pair(Dataset([0.0]), Dataset([1.0]))
    result = audit(lambda data, rng: data.X.sum(), pair=pair, claim=Claim(1.0), procedure=Sequential(), trainings=500)
    small = minimal_witness(result, lambda data, rng: data.X.sum())
    assert small is not None
    assert small.script == ""
    assert "No script: a script can only import what has a name in a module, got <lambda>." in small.lines()


# Fails for a correct program with probability < 1e-7: the audit's α.
@pytest.mark.slow
def test_a_claim_that_holds_has_no_witness() -> None:
    pair = Pair(Dataset([0.0]), Dataset([1.0]))
    result = audit(
        lambda data, rng: data.X.sum() + rng.laplace(), pair=pair, claim=Claim(1.0), trainings=200, alpha=1e-7
    )
    assert minimal_witness(result, lambda data, rng: 0.0) is None


def noisy(shift: FloatArray, n: int = 4000) -> Draws:
    rng, labels = default_rng(5), np.tile(np.array([1, 0]), n)
    return Draws(labels, rng.laplace(size=(2 * n, len(shift))) + np.where(labels[:, None] == 1, 0.0, shift))


class FollowsItsData:
    """Takes any bounds; its noise knows none of them."""

    claim = Claim(1.0)
    traits = Traits(uses_target=False)

    def domain(self, data: Dataset) -> Domain:
        return Box.enclosing(data.X)

    def fit(self, data: Dataset, seed: np.random.SeedSequence) -> FloatArray:
        return np.asarray(data.X.sum(axis=0) + default_rng(seed).laplace(scale=1.0, size=data.X.shape[1]))

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        return model


# Fails for a correct program with probability < 1e-6: what is told follows from shares of 4 000, with deviations of
# 0.008 at most; it was the same in 8 of 8 seeds.
def told(shift: list[float], bound: float, mechanism: Any = None) -> str:
    draws = noisy(np.array(shift))
    d = len(shift)
    pair = Pair(Dataset(np.zeros((2, d)), None, Box([0.0] * d, [1.0] * d)), Dataset(np.eye(2, d), None))
    event = find_event(draws, draws)
    said = explain_violation(
        mechanism or FittedMechanism(Crowded(), Claim(1.0)),
        pair,
        Claim(1.0),
        draws,
        event,
        Bound(bound, 9.0, 0.05, 1, "e-process"),
        0,
    )
    return "\n".join(said.sentences)


def test_a_factor_of_two_hints_at_the_relation() -> None:
    said = told([2.0, 0.0], 1.8)
    assert "a factor of 2" in said
    assert "number 0" in said
    assert "noise for an added or removed row" in said
    assert "uses the whole ε" not in said


def test_a_factor_of_three_in_three_numbers_hints_at_composition() -> None:
    said = told([1.0, 1.0, 1.0], 2.5)
    assert "3 leaking numbers often means that each number uses the whole ε" in said
    assert "added or removed" not in said


def test_no_hint_where_none_fits() -> None:
    said = told([1.5], 1.4)
    assert "uses the whole ε" not in said
    assert "added or removed" not in said
    assert "exact value" not in said


def test_a_leak_that_grows_with_the_bounds_hints_at_the_sensitivity() -> None:
    assert "grows with the width of the bounds" in told([1.0, 1.0], 1.2, FollowsItsData())


def test_an_exact_value_is_named() -> None:
    labels = np.tile(np.array([1, 0]), 100)
    draws = Draws(labels, labels[:, None].astype(float))
    pair = Pair(Dataset([0.0], None, Box([0.0], [1.0])), Dataset([1.0]))
    bound = Bound(3.0, 9.0, 0.05, 1, "e-process")
    event: Event = find_event(draws, draws)
    said = explain_violation(FittedMechanism(Crowded(), Claim(1.0)), pair, Claim(1.0), draws, event, bound, 0)
    assert said.factor == float("inf")
    assert any("an exact value, a size or a range is released" in sentence for sentence in said.sentences)


BAD = {
    "bounds": (["--bounds", "0,1", "--data", "iris"], "--bounds works only with --data worst, got other data"),
    "numbers": (["--bounds", "0,one", "--data", "worst"], "--bounds must be two numbers, as in 0,1, got '0,one'"),
    "order": (["--bounds", "1,0", "--data", "worst"], "bounds must be a least and a greatest value, got (1.0, 0.0)"),
    "columns": (["--data", "worst", "--max-columns", "0"], "columns must be a whole number of at least 1, got 0"),
    "scale": (["--data", "worst", "--scale", "none"], "--data worst is crafted, not read, got --scale"),
    "share": (["--data", "worst", "--pilot-share", "2"], "share must be a number in (0, 1), got 2.0"),
    "whose share": (["--pilot-share", "0.3"], "--pilot-share is an option of the search, got another attack"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_told_in_a_sentence(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, sentence = BAD[what]
    assert main(["run", "laplace", "--epsilon", "1", *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
