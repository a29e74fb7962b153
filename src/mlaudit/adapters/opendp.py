"""OpenDP measurements as mechanisms: the claim, the relation and the domain are those that the measurement states."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import function, real
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.text_columns import Category, Text
from mlaudit.types.traits import Traits

DELTA = 1e-6  # at which a measurement that states no δ is audited
_RELATIONS = {
    "SymmetricDistance": Relation.ADD_REMOVE,
    "InsertDeleteDistance": Relation.ADD_REMOVE,
    "ChangeOneDistance": Relation.REPLACE_ONE,
    "HammingDistance": Relation.REPLACE_ONE,
    "DiscreteDistance": Relation.REPLACE_ONE,  # of one value: every other value is a neighbour
}
_STRING = "String"
_READ: dict[str, Callable[[float], Any]] = {
    **{f"f{bits}": float for bits in (32, 64)},
    **{f"{sign}{bits}": round for sign in "iu" for bits in (8, 16, 32, 64)},
    "usize": round,
    "bool": lambda value: value > 0.5,
}


def is_measurement(value: object) -> bool:
    """Whether a value is a measurement of OpenDP; OpenDP is not imported to tell.

    >>> is_measurement(len)
    False
    """
    kind = type(value)
    return kind.__name__ == "Measurement" and kind.__module__.partition(".")[0] == "opendp"


@dataclass(frozen=True)
class MeasurementMechanism:
    """A mechanism made of an OpenDP measurement on one column.

    The rows of a dataset are the values: numbers as they are, rounded if the measurement takes whole numbers, and
    true above one half if it takes booleans. OpenDP draws from the operating system, so that results are not
    repeatable.

    Args:
        make: A function without arguments that returns the measurement. A function can be sent to worker processes,
            and a measurement cannot.
        stated: The claim to audit. Default: the claim that the measurement's map states for one row.
        delta: The δ at which a measurement is audited whose map states none, such as one of zCDP.

    Raises:
        InvalidInput: If the measurement takes no rows of numbers, or is measured in other terms.

    Example:
        >>> import opendp.prelude as dp
        >>> dp.enable_features("contrib")
        >>> values = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False)), dp.symmetric_distance()
        >>> noisy = MeasurementMechanism(lambda: values >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0))
        >>> round(noisy.claim.epsilon, 6), noisy.claim.relation.value
        (1.0, 'add-remove')
    """

    make: Callable[[], Any]
    stated: Claim | None = None
    delta: float = DELTA

    def __post_init__(self) -> None:
        function("make", self.make, "a function that returns a measurement")
        real("delta", self.delta, 0, 1)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("make", "stated", "delta")}

    @cached_property
    def measurement(self) -> Any:
        """The measurement, made once in each process."""
        found = self.make()
        if not is_measurement(found):
            raise InvalidInput(f"make must return a measurement of OpenDP, got {type(found).__name__}")
        return found

    @cached_property
    def claim(self) -> Claim:
        """What the measurement's map states for one row."""
        return read_claim(self.measurement, self.delta) if self.stated is None else self.stated

    @property
    def traits(self) -> Traits:
        """A measurement does not get x*, takes one column, and belongs to OpenDP."""
        return Traits(name="opendp.Measurement", library="opendp", uses_target=False, columns=1)

    @cached_property
    def _element(self) -> Any:
        return getattr(self.measurement.input_domain, "element_domain", self.measurement.input_domain)

    def domain(self, data: Dataset) -> Domain | None:
        """The bounds of the measurement's own input domain, or those of the data.

        Args:
            data: The dataset D.

        Returns:
            The set in which the rows of D and of D′ must lie; None if every row is legal.
        """
        kind = str(self._element.carrier_type)
        bounds = (0, 1) if kind == "bool" else self._element.bounds if kind in _READ else None
        return data.domain if bounds is None else Box([float(bounds[0])], [float(bounds[1])])

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Invoke the measurement once.

        Args:
            data: D or D′.
            seed: Not used, because OpenDP draws from the operating system.

        Returns:
            What the measurement released.

        Raises:
            InvalidInput: If the measurement does not take one column of numbers or of texts.
        """
        kind = str(self._element.carrier_type)
        whole = hasattr(self.measurement.input_domain, "element_domain")
        if kind == _STRING and isinstance(data.domain, Columns) and _holds_texts(data.domain):
            [texts] = data.columns.values()
            return self.measurement(texts.tolist() if whole else texts[0])
        if kind not in _READ or data.X.shape[1] != 1:
            raise InvalidInput(
                "a measurement must take one column of numbers, or of texts that are never missing, to be audited as "
                "it is, got "
                f"{kind} and {data.X.shape[1]} columns; give a function f(data, rng) that turns rows into what the "
                "measurement takes"
            )
        values = [_READ[kind](float(value)) for value in data.X[:, 0]]
        return self.measurement(values if whole else values[0])

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """What the measurement released.

        Args:
            model: What `fit` returned.
            target: Not used.

        Returns:
            The same numbers.
        """
        return model  # type: ignore[no-any-return]  # checked to be numbers where outcomes are observed


def _holds_texts(domain: Columns) -> bool:
    """Whether the table is one column of texts, none of them missing."""
    if len(domain.columns) != 1 or domain.columns[0].missing:
        return False
    column = domain.columns[0]
    return isinstance(column, Text) or (
        isinstance(column, Category) and all(isinstance(value, str) for value in column.values)
    )


@dataclass(frozen=True)
class Made:
    """A measurement that exists already."""

    measurement: Any

    def __call__(self) -> Any:
        """Return it."""
        return self.measurement


def read_claim(measurement: Any, delta: float = DELTA) -> Claim:
    """The claim that a measurement states for one row.

    Args:
        measurement: A measurement of OpenDP.
        delta: The δ for a measurement whose map states none.

    Returns:
        ε, δ and the neighbour relation.

    Raises:
        InvalidInput: If the metric is not one of datasets, or the measure is unknown.

    Example:
        >>> import opendp.prelude as dp
        >>> dp.enable_features("contrib")
        >>> answer = dp.m.make_randomized_response_bool(prob=0.75)
        >>> round(read_claim(answer).epsilon, 3)
        1.099
    """
    metric = str(measurement.input_metric).partition("(")[0]
    if metric not in _RELATIONS:
        raise InvalidInput(
            f"a measurement must take rows (SymmetricDistance, ChangeOneDistance), got {metric}; chain it behind a "
            "transformation of rows, or give a function and a claim"
        )
    relation, steps = _RELATIONS[metric], 1
    if relation is Relation.ADD_REMOVE and getattr(measurement.input_domain, "size", None) is not None:
        relation, steps = Relation.REPLACE_ONE, 2  # a row is removed and another is added: the size is fixed
    measure, cost = str(measurement.output_measure), measurement.map(steps)
    if measure == "MaxDivergence":
        return Claim(float(cost), relation=relation)
    if measure == "Approximate(MaxDivergence)":
        return Claim(float(cost[0]), float(cost[1]), relation)
    if measure == "ZeroConcentratedDivergence":
        cost, measure = _combinators().make_zCDP_to_approxDP(measurement).map(steps), "SmoothedMaxDivergence"
    if measure == "SmoothedMaxDivergence":
        return Claim(float(cost.epsilon(delta)), delta, relation)
    raise InvalidInput(
        f"the privacy of a measurement must be stated as ε, (ε, δ) or ρ, got {measure}; give a function and a claim"
    )


def _combinators() -> Any:
    try:
        from opendp import combinators  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("opendp", "opendp") from None
    return combinators
