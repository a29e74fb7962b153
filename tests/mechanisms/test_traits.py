"""Traits: declared once, handed on by wrappers, never part of a description."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from mlaudit import Claim, Dataset, Traits
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.adapters.prediction_at import PredictionAt, observe_prediction
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.dp_sgd import DpSgd
from mlaudit.mechanisms.logistic_objective import LogisticObjective, flag_missing_minimiser
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.naming.plugins import load, shipped
from mlaudit.naming.versions import library_of, versions
from mlaudit.samplers.sampled import SampledMechanism
from mlaudit.testing.loose_names import describe_loose_traits
from mlaudit.types.arrays import FloatArray
from mlaudit.types.traits import traits_of

SHIPPED = pytest.mark.parametrize("name", shipped("mechanisms"))


@SHIPPED
def test_a_shipped_mechanism_has_no_trait_outside_traits_and_none_in_its_description(name: str) -> None:
    mechanism = load("mechanisms", name)()
    assert describe_loose_traits(mechanism) == ""
    assert "traits" not in describe(mechanism)


def test_a_mechanism_without_traits_has_the_defaults() -> None:
    assert traits_of(object()) == Traits()
    with pytest.raises(TypeError, match="use_target"):
        Traits(use_target=False)  # type: ignore[call-arg]


class WithMethod:
    def traits(self) -> Traits:
        return Traits()


class WithProperty:
    @property
    def traits(self) -> Traits:
        return Traits(library="scipy", name="mine")


def test_traits_are_an_attribute_or_a_property_and_no_method() -> None:
    assert library_of(WithProperty()).startswith("scipy ")
    assert mechanism_name(WithProperty()) == "mine"
    with pytest.raises(InvalidInput, match=r"traits of WithMethod must be Traits\(...\), .*, got method"):
        traits_of(WithMethod())


def test_a_description_keeps_the_names_that_seeds_are_derived_from() -> None:
    inner = {"type": "naive_bayes", "epsilon": 1.0, "relation": "replace-one", "counts": False}
    assert describe(PredictionAt(NaiveBayes())) == {"type": "AtTarget", "mechanism": inner}
    assert describe(SampledMechanism(NaiveBayes(), "mirror")) == {
        "type": "Fast",
        "mechanism": inner,
        "kind": "mirror",
    }


def test_a_sampled_mechanism_hands_on_all_traits() -> None:
    sampled = SampledMechanism(LogisticObjective(), "batched")
    assert traits_of(sampled) == replace(LogisticObjective.traits, name="logistic_objective")
    assert traits_of(sampled).flag is flag_missing_minimiser
    # None for both without the extra `diffprivlib`.
    assert versions(sampled).get("diffprivlib") == versions(LogisticObjective()).get("diffprivlib")


def test_a_prediction_drops_the_traits_of_the_summary_that_it_replaces() -> None:
    seen = traits_of(PredictionAt(LogisticObjective()))
    assert seen == Traits(name="logistic_objective", library="diffprivlib", targets="classes", black_box=True)
    assert observe_prediction(DpSgd()) == DpSgd()  # its summary is a prediction already
    assert observe_prediction(PredictionAt(NaiveBayes())) == PredictionAt(NaiveBayes())


def noisy_sum(data: Dataset, rng: np.random.Generator) -> float:
    return float(data.X.sum() + rng.laplace())


class Fits:
    bounds = (0, 1)
    traits = Traits(library="scipy", attacks=(FarCorner(),))

    def fit(self, X: Any, rng: np.random.Generator) -> Any:
        return X.sum() + rng.laplace()


class FitsLabels(Fits):
    labels = ("a", "b")


def test_adapters_declare_traits_for_what_they_wrap() -> None:
    assert traits_of(FunctionMechanism(noisy_sum, Claim(1.0))) == Traits(name="noisy_sum", uses_target=False)
    found = traits_of(FittedMechanism(Fits(), Claim(1.0)))
    assert found == replace(Fits.traits, name="Fits", uses_target=False)
    assert traits_of(FittedMechanism(FitsLabels(), Claim(1.0))).labels == ("a", "b")


@dataclass(frozen=True)
class MiniBatches:
    """Its own parameter `batch` has nothing to do with how many trainings are drawn at once."""

    batch: int = 7
    library: str = "a parameter, too"
    claim = Claim(1.0)

    def domain(self, data: Dataset) -> None: ...

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        return np.asarray(self.sample(data, None, 1, seed)[0])

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        return model

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        return default_rng(seed).laplace(size=(n, 1))


class SmallBatches(MiniBatches):
    traits = Traits(batch=5)


def test_a_parameter_is_not_taken_for_a_trait() -> None:
    data = Dataset([0.0])
    assert TrainingStream(MiniBatches(), data, None, 0).batch == 1000
    assert TrainingStream(SmallBatches(), data, None, 0).batch == 5
    assert library_of(MiniBatches()) == ""
    assert describe_loose_traits(MiniBatches()) == ""
