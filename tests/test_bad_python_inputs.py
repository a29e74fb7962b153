"""Whatever is handed to the Python interface wrongly gets one sentence, never an error from the inside.

Every argument of every public callable meets every value of `bad_values`; hypothesis adds values and combinations of
its own.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from bad_values import VALUES, taken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.linear_model import SGDClassifier

import mlaudit
from mlaudit import Claim, Dataset, Pair, Relation, datasets
from mlaudit.attacks._changes import Added, Removed
from mlaudit.attacks.coefficient import Coefficient
from mlaudit.attacks.influence import Influence
from mlaudit.attacks.shadow import Shadow
from mlaudit.attacks.swap_x import SwapX
from mlaudit.auditing.run import check_numbers
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.classifiers.reachable import Reachable
from mlaudit.classifiers.steps import Steps
from mlaudit.distinguish.clues import Clue
from mlaudit.dp_sgd.network import Network
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.dask import DaskEngine
from mlaudit.drawing.engines.ray import RayEngine
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.intervals.clopper_pearson import ClopperPearson
from mlaudit.intervals.exact import Exact
from mlaudit.intervals.katz_log import KatzLog
from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.mechanisms.decision_tree import DecisionTree
from mlaudit.mechanisms.dp_sgd import DpSgd
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.geometric import Geometric
from mlaudit.mechanisms.k_means import KMeans
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.linear_regression import LinearRegression
from mlaudit.mechanisms.logistic_objective import LogisticObjective
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.mechanisms.noisy_max import NoisyMax
from mlaudit.mechanisms.pca import PCA
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.mechanisms.randomised_response import RandomisedResponse
from mlaudit.mechanisms.standard_scaler import StandardScaler
from mlaudit.procedures.gdp_accuracy import GdpAccuracy
from mlaudit.procedures.one_run import OneRun
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.sequential import Sequential
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.results.audit_result import Confirmation, Provenance
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.result import Leak
from mlaudit.scanning.suspects import Suspect
from mlaudit.sweep.store import SqliteResults
from mlaudit.testing import assert_private
from mlaudit.trainers.gradient_canaries import GradientCanaries
from mlaudit.trainers.logistic_sgd import LogisticSgd
from mlaudit.trainers.mislabelled_canaries import MislabelledCanaries
from mlaudit.types.draws import Draws
from mlaudit.types.finding import ArmCounts, Bets, Bound, Finding, GuessCounts, Witness
from mlaudit.types.preparation import Preparation
from mlaudit.witness.run import minimal_witness

LONGEST = 400  # characters of a sentence, file names aside


class Target(NamedTuple):
    """Something to call, good arguments for it, and what kind each argument is."""

    call: Callable[..., Any]
    good: dict[str, Any]
    kinds: dict[str, str]
    slow: bool = False  # a call that succeeds trains something: values that are fine are left out


def noisy_sum(data: Dataset, rng: np.random.Generator) -> float:
    return float(data.X.sum() + rng.laplace())


def scorer(draws: Any) -> Any:
    return draws.z[:, 0]


class NoisyAttendance:
    """A canary trainer whose one training takes no time."""

    claim = Claim(1.0, relation=Relation.ADD_REMOVE)

    def scores(self, included: Any, seed: Any) -> Any:
        return included + np.random.default_rng(seed).laplace(0.0, 1.0, len(included))


DATA = Dataset([0.0, 1.0, 0.0])
PAIR = Pair(DATA, Dataset([1.0, 1.0, 0.0]))
LABELLED = Dataset([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]], y=[0, 1, 1])
BOUND = Bound(0.5, 3.0, 0.05, 1, "exact")
COUNTS = GuessCounts((3,), (5,))
WITNESS = Witness(scorer)
FINDING = Finding(BOUND, COUNTS, WITNESS)
PROVENANCE: dict[str, Any] = {
    "mechanism": "noisy_sum",
    "parameters": {},
    "sampler": "function",
    "dataset": "data",
    "procedure": {},
    "trainings": 100,
    "seed": 0,
    "learned_on": 0,
    "versions": {},
}
RESULT = mlaudit.AuditResult(Claim(1.0), PAIR, "given", FINDING, "not_refuted", Provenance(**PROVENANCE))
SUSPECT = Suspect("n_", Neighbour("the first row moved", PAIR), (Clue("n_", 3.0, 3.0, None, (9, 0), (9, 9)),), 1.0)
SCAN = mlaudit.ScanResult("mean", "", "toy", Claim(1.0), (), 18, 40, 40, 400, 0.05, 0)
COUNTED: dict[str, Any] = {
    "hits": [3],
    "false_hits": [1],
    "trials": 5,
    "false_trials": 5,
    "alpha": 0.05,
    "delta": 0.0,
}
COUNTED_KINDS = {
    "hits": "hits",
    "false_hits": "hits",
    "trials": "whole",
    "false_trials": "whole",
    "alpha": "share",
    "delta": "weights",
}
CLASSIFIERS = {"classifiers": "value"}
SGD = {
    "epsilon": "positive",
    "delta": "share",
    "steps": "whole",
    "rate": "share",
    "learning_rate": "positive",
    "data": "value?",
}
NETWORK = {**SGD, "network": "word", "clip": "positive", "batch": "positive", "by": "word"}
STEPS = {"iterations": "whole from 0", "step": "positive"}
WHERE = {"engine": "value?", "progress": "call?"}
NUMBERS = {"alpha": "share", "seed": "whole from 0"}


def dataclasses() -> dict[str, Target]:
    return {
        "Claim": Target(
            Claim,
            {"epsilon": 1.0, "delta": 1e-5},
            {"epsilon": "positive", "delta": "probability", "relation": "value", "gaussian": "flag"},
        ),
        "Dataset": Target(Dataset, {"X": [0.0]}, {"X": "rows", "y": "labels", "domain": "value?", "name": "text"}),
        "Dataset.within": Target(DATA.within, {}, {"domain": "value?"}),
        "Pair": Target(
            Pair,
            {"base": DATA, "neighbour": PAIR.neighbour},
            {"base": "value", "neighbour": "value", "target": "rows?"},
        ),
        "Pair.steps": Target(PAIR.steps, {}, {"under": "value"}),
        "Box": Target(
            mlaudit.Box, {"low": 0.0, "high": 1e301}, {"low": "corner", "high": "corner", "labels": "labels"}
        ),
        "Box.contains": Target(mlaudit.Box(0, 1).contains, {}, {"X": "table"}),
        "Box.project": Target(mlaudit.Box(0, 1).project, {}, {"X": "table"}),
        "L2Ball": Target(mlaudit.L2Ball, {"radius": 1.0}, {"radius": "positive", "labels": "labels"}),
        "L2Ball.contains": Target(mlaudit.L2Ball(1.0).contains, {}, {"X": "table"}),
        "Traits": Target(
            mlaudit.Traits,
            {},
            {
                **dict.fromkeys(("name", "library"), "text"),
                **dict.fromkeys(("uses_target", "black_box"), "flag"),
                "attacks": "nothing in it",
                "labels": "labels",
                "preparation": "value",
                "flag": "call?",
                "batch": "whole",
            },
        ),
        "Draws": Target(
            Draws,
            {"labels": [0, 1], "z": [[0.5], [0.7]]},
            {"labels": "value", "z": "value", "kinds": "words?", "index": "value?", "streams": "words"},
        ),
        "ArmCounts": Target(
            ArmCounts,
            {"hits": 0, "false_hits": 0, "trials": 5, "false_trials": 5},
            {"hits": "count", "false_hits": "count", "trials": "whole", "false_trials": "whole"},
        ),
        "GuessCounts": Target(
            GuessCounts,
            {"correct": (3,), "guesses": (5,)},
            {"correct": "shares", "guesses": "shares", "canaries": "whole from 0"},
        ),
        "Bets": Target(
            Bets,
            {"sureness": [0.5], "right": [True]},
            {"sureness": "shares", "right": "shares", "learned": "whole from 0"},
        ),
        "Bound": Target(
            Bound,
            {"epsilon": 0.5, "ceiling": 1.0, "alpha": 0.05, "steps": 1, "method": "exact"},
            {
                "epsilon": "at least 0",
                "ceiling": "at least 0",
                "alpha": "share",
                "steps": "whole",
                "method": "text",
                "assuming": "text",
            },
        ),
        "Witness": Target(
            Witness,
            {"scorer": scorer},
            {"scorer": "call", "threshold": "threshold?", "complement": "flag"},
        ),
        "Finding": Target(
            Finding,
            {"bound": BOUND, "evidence": COUNTS, "witness": WITNESS},
            {"bound": "value", "evidence": "value", "witness": "value", "scores": "value?"},
        ),
        "Provenance": Target(
            Provenance,
            PROVENANCE,
            {
                **dict.fromkeys(("mechanism", "sampler", "dataset", "stands_for"), "text"),
                **dict.fromkeys(("parameters", "procedure", "versions"), "mapping"),
                "trainings": "whole",
                "seed": "whole from 0",
                "learned_on": "whole from 0",
                "notes": "notes",
            },
        ),
        "Confirmation": Target(
            Confirmation,
            {"bound": BOUND, "trainings": 5, "seed": 0},
            {"bound": "value", "trainings": "whole", "seed": "whole from 0"},
        ),
        "AuditResult": Target(
            mlaudit.AuditResult,
            {
                "claim": Claim(1.0),
                "pair": PAIR,
                "attack": "given",
                "finding": FINDING,
                "verdict": "not_refuted",
                "provenance": RESULT.provenance,
            },
            {
                **dict.fromkeys(("claim", "pair", "finding", "provenance"), "value"),
                "attack": "text",
                "verdict": "word",
                "confirmation": "value?",
            },
        ),
        "Leak": Target(
            Leak,
            {"suspect": SUSPECT, "bound": BOUND, "standing": "not_refuted", "right": 3, "guesses": 5},
            {
                **dict.fromkeys(("suspect", "bound"), "value"),
                **dict.fromkeys(("repeated", "finding"), "value?"),
                "standing": "word",
                "right": "count",
                **dict.fromkeys(("guesses", "repeated_on"), "whole from 0"),
            },
        ),
        "ClaimTest": Target(
            mlaudit.ClaimTest,
            {
                "mechanism": "mean",
                "stands_for": "",
                "dataset": "toy",
                "claim": Claim(1.0),
                "alpha": 0.05,
                "effort": "ci",
                "seed": 0,
                "attempts": (),
            },
            {
                **dict.fromkeys(("mechanism", "stands_for", "dataset", "effort"), "text"),
                **dict.fromkeys(("attempts", "findings", "skipped"), "nothing in it"),
                "claim": "value",
                "alpha": "share",
                "seed": "whole from 0",
                "versions": "mapping",
                "notes": "notes",
                "card": "value?",
            },
        ),
        "ScanResult": Target(
            mlaudit.ScanResult,
            {
                "mechanism": "mean",
                "stands_for": "",
                "dataset": "toy",
                "claim": Claim(1.0),
                "leaks": (),
                "neighbours": 18,
                "paths": 40,
                "pilot": 40,
                "trainings": 400,
                "alpha": 0.05,
                "seed": 0,
            },
            {
                **dict.fromkeys(("mechanism", "stands_for", "dataset"), "text"),
                **dict.fromkeys(("neighbours", "paths", "pilot", "trainings", "seed"), "whole from 0"),
                "claim": "value",
                "leaks": "nothing in it",
                "alpha": "share",
                "notes": "notes",
            },
        ),
        "CanaryResult": Target(
            mlaudit.CanaryResult,
            {
                "kind": "one run",
                "trainer": "mine",
                "parameters": {},
                "claim": Claim(1.0),
                "bound": BOUND,
                "counts": COUNTS,
                "trainings": 1,
                "seed": 0,
                "versions": {},
            },
            {
                "kind": "word",
                "trainer": "text",
                "parameters": "mapping",
                "claim": "value",
                "bound": "value",
                "counts": "value",
                "trainings": "whole",
                "seed": "whole from 0",
                "versions": "mapping",
                "stands_for": "text",
                "mu": "at least 0?",
            },
        ),
    }


def parts() -> dict[str, Target]:
    return {
        "EstimatorMechanism": Target(
            mlaudit.EstimatorMechanism,
            {"estimator": SGDClassifier(), "claim": Claim(1.0)},
            {"estimator": "value", "claim": "value", "bounds": "value?", "summarise": "word", "probes": "weights?"},
        ),
        "FunctionMechanism": Target(
            mlaudit.FunctionMechanism,
            {"function": noisy_sum, "claim": Claim(1.0)},
            {"function": "call", "claim": "value"},
        ),
        "LokyEngine": Target(mlaudit.LokyEngine, {}, {"jobs": "few"}),
        "Isolated": Target(Isolated, {"engine": mlaudit.LokyEngine()}, {"engine": "value"}),
        "DaskEngine": Target(DaskEngine, {}, {"address": "text", "jobs": "few"}),
        "RayEngine": Target(RayEngine, {}, {"address": "text", "jobs": "few"}),
        "SqliteStore": Target(mlaudit.SqliteStore, {}, {"path": "path"}, slow=True),
        "SqliteResults": Target(SqliteResults, {}, {"path": "path"}, slow=True),
        "Progressive": Target(
            Progressive,
            {},
            {**CLASSIFIERS, "burn_in": "share?", "blocks": "whole", "fractions": "shares"},
        ),
        "GdpAccuracy": Target(GdpAccuracy, {}, {**CLASSIFIERS, "burn_in": "share?", "blocks": "whole"}),
        "TwoPhase": Target(
            TwoPhase,
            {},
            {
                **CLASSIFIERS,
                "interval": "value",
                "floor": "probability",
                "folds": "whole",
                "two_sided": "flag",
            },
        ),
        "Sequential": Target(
            Sequential,
            {},
            {**CLASSIFIERS, "first": "whole", "growth": "limit", "beyond": "positive", "seconds": "limit"},
        ),
        "OneRun": Target(
            OneRun,
            {},
            {**CLASSIFIERS, "share_in": "probability", "share_out": "probability", "burn_in": "share"},
        ),
        "Search": Target(mlaudit.Search, {}, {"share": "share", "change": "choice"}),
        "Worst": Target(
            mlaudit.Worst, {}, {"bounds": "shares?", "vary": "flag", "rows": "whole", "columns": "whole"}
        ),
        "Influence": Target(Influence, {}, STEPS),
        "Coefficient": Target(Coefficient, {}, STEPS),
        "Shadow": Target(Shadow, {}, {**STEPS, "models": "whole"}),
        "Added": Target(Added, {}, {"attack": "call"}),
        "Removed": Target(Removed, {}, {"attack": "call"}),
        "Logistic": Target(Logistic, {}, {"C": "positive"}),
        "Boosting": Target(
            Boosting,
            {},
            {"trees": "whole", "leaves": "whole", "learning_rate": "positive", "columns": "whole"},
        ),
        "Steps": Target(Steps, {}, {"bins": "whole", "columns": "whole"}),
        "Reachable": Target(Reachable, {}, {"columns": "whole"}),
        "ClopperPearson": Target(ClopperPearson, {}, {"share": "share"}),
        "Exact": Target(Exact, {}, {"gamma_share": "probability"}),
        "Preparation": Target(
            Preparation,
            {},
            {
                "rows": "whole",
                "categorical": "word",
                "classes": "labels",
                "seed": "whole from 0",
                "scale": "word",
            },
        ),
        **{
            f"{type(interval).__name__}.log_ratio": Target(interval.log_ratio, COUNTED, COUNTED_KINDS, slow=True)
            for interval in (ClopperPearson(), Exact(), KatzLog(), MoverCP())
        },
    }


def learners() -> dict[str, Target]:
    made = {
        Laplace: {"relation": "value"},
        Gaussian: {"delta": "share"},
        Geometric: {},
        RandomisedResponse: {},
        NoisyMax: {},
        NaiveBayes: {"relation": "value", "counts": "flag"},
        LogisticObjective: {"C": "positive", "intercept": "flag"},
        LogisticOutput: {"C": "positive"},
        LinearRegression: {"intercept": "flag"},
        StandardScaler: {},
        PCA: {"components": "whole?"},
        KMeans: {"relation": "value", "clusters": "whole"},
        DecisionTree: {"relation": "value", "depth": "whole"},
        RandomForest: {"relation": "value", "trees": "whole", "depth": "whole"},
        DpSgd: {
            "delta": "share",
            "epochs": "positive",
            "rate": "share",
            "rows": "whole",
            "clip": "positive",
            "optimiser": "word",
            "learning_rate": "positive",
            "momentum": "probability",
            "pixels": "shares",
            "initial": "array",
            "probes": "whole from 0?",
            "sigma": "positive?",
            "network": "value?",
            "module": "call or class?",
            "loss": "call or class?",
            "make_optimiser": "call or class?",
            "shape": "counts?",
        },
    }
    plain = {kind.__name__: Target(kind, {}, {"epsilon": "positive", **more}) for kind, more in made.items()}
    return {
        **plain,
        "Network": Target(
            Network,
            {"shape": (1, 28, 28), "filters": (4,)},
            {"shape": "shares", "filters": "counts", "classes": "whole"},
        ),
        "LogisticSgd": Target(LogisticSgd, {}, {**SGD, "parameters": "whole", "noise": "at least 0?"}),
        "GradientCanaries": Target(GradientCanaries, {}, NETWORK),
        "MislabelledCanaries": Target(MislabelledCanaries, {}, NETWORK),
    }


def verbs() -> dict[str, Target]:
    return {
        "audit": Target(
            mlaudit.audit,
            {"mechanism": noisy_sum, "data": DATA, "claim": Claim(1.0), "attack": SwapX(), "trainings": 100},
            {
                **NUMBERS,
                **WHERE,
                "mechanism": "call",
                "claim": "value",
                **dict.fromkeys(("data", "pair", "procedure", "store"), "value?"),
                "attack": "call?",
                "rows": "count",
                "trainings": "whole",
                "sampler": "word",
            },
            slow=True,
        ),
        "confirm": Target(
            mlaudit.confirm,
            {"result": RESULT, "mechanism": noisy_sum, "procedure": OneRun(), "trainings": 100, "seed": 1},
            {**WHERE, "seed": "whole from 0?", "trainings": "whole?", "store": "value?"}
            | {"result": "value", "procedure": "value", "mechanism": "call"},
            slow=True,
        ),
        "refute": Target(
            mlaudit.refute,
            {"mechanism": noisy_sum, "data": DATA, "claim": Claim(1.0), "attack": SwapX(), "trainings": 100},
            {
                **NUMBERS,
                **WHERE,
                "mechanism": "call",
                "claim": "value",
                **dict.fromkeys(("data", "pair", "store"), "value?"),
                "attack": "call?",
                "bounds": "shares?",
                "effort": "word",
                "trainings": "whole?",
                "seconds": "limit?",
                "outside": "choice?",
                **dict.fromkeys(("find_all", "last_bits", "isolate"), "flag"),
            },
            slow=True,
        ),
        "scan": Target(
            mlaudit.scan,
            {"mechanism": noisy_sum, "data": DATA, "claim": Claim(1.0)},
            {**NUMBERS, **WHERE, "pilot": "whole", "trainings": "whole"}
            | {"mechanism": "call", "data": "value", "claim": "value"},
            slow=True,
        ),
        "one_run": Target(
            mlaudit.one_run,
            {"trainer": NoisyAttendance()},
            {**NUMBERS, "trainer": "value", "canaries": "whole", "procedure": "value?", "claim": "value?"},
            slow=True,
        ),
        "white_box": Target(
            mlaudit.white_box,
            {"trainer": LogisticSgd()},
            {**NUMBERS, "trainer": "value", "trainings": "whole", "claim": "value?", "progress": "call?"},
            slow=True,
        ),
        "assert_private": Target(
            assert_private,
            {"learner": noisy_sum, "data": DATA, "epsilon": 1.0},
            {
                "learner": "call",
                "data": "rows?",
                "epsilon": "positive",
                "delta": "probability",
                "relation": "choice?",
                "attack": "call?",
                "flake_rate": "share",
                "trainings": "whole",
                "seconds": "limit",
                "seed": "whole from 0",
                "outside": "choice?",
                "witness": "path?",
            },
            slow=True,
        ),
        "minimal_witness": Target(
            minimal_witness,
            {"result": RESULT, "mechanism": noisy_sum},
            {**WHERE, "result": "value", "mechanism": "call", "trainings": "whole?", "seed": "whole from 0?"},
            slow=True,
        ),
        "check_numbers": Target(
            check_numbers,
            {"trainings": 100, "alpha": 0.05, "seed": 0},
            {**NUMBERS, "trainings": "whole"},
        ),
        "datasets.load": Target(
            datasets.load,
            {"source": "nothing.csv"},
            {"source": "path", "target": "text?", "preparation": "value?"},
            slow=True,
        ),
        "Result.to_json": Target(SCAN.to_json, {}, {"more": "mapping?"}, slow=True),
        "Result.from_json": Target(
            mlaudit.ScanResult.from_json,
            {"text": SCAN.to_json()},
            {"text": "word", "source": "text", "trusted": "counts"},
        ),
    }


TARGETS = {**dataclasses(), **parts(), **learners(), **verbs()}
ARGUMENTS = [(name, argument) for name, target in TARGETS.items() for argument in target.kinds]
INPUTS = [
    (name, argument, value)
    for name, argument in ARGUMENTS
    for value in VALUES
    if not (TARGETS[name].slow and value in taken(TARGETS[name].kinds[argument]))
]


def outcome(call: Callable[[], Any]) -> str:
    """The sentence a call is refused with; "" where it is not. Anything else that is raised is a defect."""
    try:
        call()
    except AuditError as error:
        sentence = str(error)
        assert 0 < len(sentence) < LONGEST, sentence
        assert "\n" not in sentence, sentence
        assert any(words in sentence for words in ("got", " is called ", " can be used here")), sentence
        return sentence
    return ""


def test_there_are_hundreds_of_bad_inputs() -> None:
    assert len(INPUTS) == len(set(INPUTS)) > 5000
    assert not set(mlaudit.__all__) - {*TARGETS, "AuditError", "Relation", "Result"}


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS, ids=str)
@pytest.mark.slow
def test_a_wrong_value_of_any_argument_gets_one_sentence(name: str, argument: str) -> None:
    target = TARGETS[name]
    for value in [value for n, a, value in INPUTS if (n, a) == (name, argument)]:
        sentence = outcome(partial(target.call, **{**target.good, argument: VALUES[value]()}))
        assert sentence or value in taken(target.kinds[argument]), f"{name}({argument}={value}) was taken"


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.complex_numbers()
    | st.decimals()
    | st.fractions()
    | st.dates()
    | st.sampled_from([make for name, make in VALUES.items() if name != "generator"]).map(lambda make: make())
    | arrays.arrays(arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=5,
)
CHEAP = [name for name, target in TARGETS.items() if not target.slow]


@given(st.data())
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.slow
def test_wrong_values_together_get_one_sentence(data: st.DataObject) -> None:
    target = TARGETS[data.draw(st.sampled_from(CHEAP))]
    wrong = data.draw(st.lists(st.sampled_from(sorted(target.kinds)), min_size=1, max_size=3, unique=True))
    outcome(partial(target.call, **{**target.good, **{name: data.draw(JUNK) for name in wrong}}))


COMBINATIONS: dict[str, Callable[[], Any]] = {
    "a Gaussian claim without delta": lambda: Claim(1.0, gaussian=True),
    "a pair and data": lambda: mlaudit.audit(noisy_sum, DATA, pair=PAIR, claim=Claim(1.0)),
    "neither pair nor data": lambda: mlaudit.audit(noisy_sum, claim=Claim(1.0)),
    "a function without a claim": lambda: mlaudit.audit(noisy_sum, DATA),
    "no attack": lambda: mlaudit.audit(noisy_sum, DATA, attack=(), claim=Claim(1.0)),
    "no number of rows": lambda: mlaudit.audit(noisy_sum, DATA, attack=SwapX(), rows=(), claim=Claim(1.0)),
    "an attack that needs labels": lambda: mlaudit.audit(noisy_sum, DATA, attack=SwapX(), claim=Claim(1.0)),
    "more rows than there are": lambda: mlaudit.audit(noisy_sum, LABELLED, attack=SwapX(), rows=9, claim=Claim(1.0)),
    "a class for an attack": lambda: mlaudit.audit(noisy_sum, DATA, attack=SwapX, claim=Claim(1.0)),  # type: ignore[arg-type]
    "a class for a procedure": lambda: mlaudit.audit(noisy_sum, DATA, procedure=TwoPhase, claim=Claim(1.0)),  # type: ignore[arg-type]
    "a class for an engine": lambda: mlaudit.audit(noisy_sum, DATA, engine=mlaudit.LokyEngine, claim=Claim(1.0)),  # type: ignore[arg-type]
    "a class for a mechanism": lambda: mlaudit.audit(Laplace, DATA),
    "a name that no dataset has": lambda: mlaudit.audit(noisy_sum, "irs", claim=Claim(1.0)),
    "a file that there is not": lambda: mlaudit.audit(noisy_sum, "nothing.csv", claim=Claim(1.0)),
    "a name that no attack has": lambda: mlaudit.audit(noisy_sum, DATA, attack=["swap"], claim=Claim(1.0)),
    "a name that no procedure has": lambda: mlaudit.audit(noisy_sum, DATA, procedure="two", claim=Claim(1.0)),
    "a relation that is not claimed": lambda: mlaudit.audit("k_means", "iris", claim=Claim(1.0)),
    "no delta for Gaussian noise": lambda: mlaudit.audit("gaussian", claim=Claim(1.0)),
    "a user's file for a mechanism": lambda: mlaudit.audit("mine.py:learner", DATA, claim=Claim(1.0)),
    "a user's file for data": lambda: mlaudit.audit(noisy_sum, "mine.py:rows", claim=Claim(1.0)),
    "a column of a published dataset": lambda: datasets.load("iris", target="species"),
    "no mechanism for a result of own code": lambda: mlaudit.confirm(RESULT, procedure=OneRun()),
    "no procedure for a result of own code": lambda: mlaudit.confirm(RESULT, noisy_sum),
    "too many trainings": lambda: mlaudit.audit(noisy_sum, DATA, claim=Claim(1.0), trainings=10**12),
    "too many rows": lambda: mlaudit.audit(Laplace(), rows=10**9),
    "a sampler that there is not": lambda: mlaudit.audit(noisy_sum, DATA, claim=Claim(1.0), sampler="mirror"),
    "labels outside the domain": lambda: Dataset([0.5], y=[7], domain=mlaudit.Box(0, 1, (0, 1))),
    "corners of other lengths": lambda: mlaudit.Box([0, 0], [1, 1, 1]),
    "corners the wrong way": lambda: mlaudit.Box(1, 0),
    "hits above trials": lambda: ArmCounts(6, 0, 5, 5),
    "hits of other shapes": lambda: KatzLog().log_ratio([1, 2], [1, 2, 3], 5, 5, 0.05),
    "unequal arms": lambda: MoverCP().log_ratio(1, 1, 1000, 10, 0.05),
    "shares above 1": lambda: OneRun(0.8, 0.3),
    "the result's own seed": lambda: mlaudit.confirm(RESULT, noisy_sum, OneRun(), trainings=100, seed=0),
    "canaries under replace-one": lambda: mlaudit.one_run(NoisyAttendance(), claim=Claim(1.0)),
    "delta without epsilon": lambda: assert_private(Laplace(), delta=0.1),
    "no claim at all": lambda: assert_private(noisy_sum, DATA),
    "a verdict that does not follow": lambda: mlaudit.AuditResult(
        Claim(1.0), PAIR, "given", FINDING, "violated", RESULT.provenance
    ),
    "a scan's text for an audit's": lambda: mlaudit.AuditResult.from_json(SCAN.to_json()),
    "an entry of the result's own": lambda: SCAN.to_json({"verdict": "not_refuted"}),
    "an entry that is no JSON": lambda: SCAN.to_json({"mine": {1, 2}}),
    "a standing that does not follow": lambda: replace(SCAN, leaks=(Leak(SUSPECT, BOUND, "violated", 3, 5),)),
    "a folder for a store": lambda: mlaudit.SqliteStore("."),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_a_wrong_combination_gets_one_sentence(combination: str) -> None:
    assert outcome(COMBINATIONS[combination])


def test_a_claim_that_is_no_claim_is_refused_where_it_is_used() -> None:
    class Odd(NoisyAttendance):
        claim = 1.0  # type: ignore[assignment]

    with pytest.raises(InvalidInput, match="claim must be a Claim, got float"):
        mlaudit.one_run(Odd())  # type: ignore[arg-type]
