"""Make a mechanism of whatever the user gives."""

from typing import Any

from mlaudit.adapters.estimator import EstimatorMechanism
from mlaudit.adapters.fitted import FittedMechanism, is_fitted
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.adapters.opendp import Made, MeasurementMechanism, is_measurement
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import name_of
from mlaudit.protocols import Mechanism
from mlaudit.types.checks import instance
from mlaudit.types.claim import Claim


def as_mechanism(value: Any, claim: Claim | None) -> Mechanism:
    """Wrap an estimator, a function, an OpenDP measurement or an object with fit; a mechanism is returned as it is.

    Args:
        value: What the user wants to audit.
        claim: The claim to audit it against. A mechanism brings its own.

    Returns:
        A mechanism.

    Raises:
        InvalidInput: If `value` is none of these, or if it needs a claim and there is none.

    >>> as_mechanism(lambda data, rng: 0.0, None)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: <lambda> must come with a claim, got none; give claim=Claim(epsilon)
    """
    if claim is not None:
        instance("claim", claim, Claim, "as in claim=Claim(1.0)")
    if isinstance(value, Mechanism) and not isinstance(value, type):
        return value
    if is_measurement(value):
        return MeasurementMechanism(Made(value), claim)
    estimator, fitted = hasattr(value, "get_params"), is_fitted(value)
    if isinstance(value, type) or not (callable(value) or estimator or fitted):
        raise InvalidInput(
            f"a mechanism must be a function f(data, rng), an estimator, an object with fit, or one with claim, "
            f"domain, fit and summary, got {name_of(value)}"
        )
    if claim is None:
        raise InvalidInput(f"{name_of(value)} must come with a claim, got none; give claim=Claim(epsilon)")
    if estimator:
        return EstimatorMechanism(value, claim)
    return FittedMechanism(value, claim) if fitted else FunctionMechanism(value, claim)
