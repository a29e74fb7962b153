"""Whatever the user brings, as a mechanism."""

from typing import Any

from mlaudit.adapters.estimator import EstimatorMechanism
from mlaudit.adapters.fitted import FittedMechanism, is_fitted
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.describe import name_of
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism, Samples
from mlaudit.types.checks import instance
from mlaudit.types.claim import Claim
from mlaudit.types.result import Sampler


def as_mechanism(value: Any, claim: Claim | None) -> Mechanism:
    """A mechanism as it is, an estimator or a function wrapped with the claim it is audited against.

    >>> as_mechanism(lambda data, rng: 0.0, None)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: <lambda> must come with a claim, got none; give claim=Claim(epsilon)
    """
    if claim is not None:
        instance("claim", claim, Claim, "as in claim=Claim(1.0)")
    if isinstance(value, Mechanism) and not isinstance(value, type):
        return value
    estimator, fitted = hasattr(value, "get_params"), is_fitted(value)
    if isinstance(value, type) or not (callable(value) or estimator or fitted):
        raise InvalidInput(
            f"a mechanism must be a function f(data, rng), an estimator with fit and random_state, an object with "
            f"fit and bounds, or one with claim, domain, fit and summary, got {name_of(value)}"
        )
    if claim is None:
        raise InvalidInput(f"{name_of(value)} must come with a claim, got none; give claim=Claim(epsilon)")
    if estimator:
        return EstimatorMechanism(value, claim)
    return FittedMechanism(value, claim) if fitted else FunctionMechanism(value, claim)


def mechanism_name(mechanism: Mechanism) -> str:
    """What results call the mechanism."""
    return str(getattr(mechanism, "name", None) or name_of(mechanism))


def sampler_of(mechanism: Mechanism) -> Sampler:
    """What was audited: a library's own fit, an implementation that draws in batches, or code as it was given."""
    kind = getattr(mechanism, "kind", None)
    if isinstance(mechanism, Samples) or kind in ("mirror", "batched"):
        return "mirror" if kind == "mirror" else "batched"
    real = isinstance(mechanism, EstimatorMechanism) or bool(getattr(mechanism, "library", None))
    return "library" if real else "function"
