"""What mlaudit expects of a mechanism."""

import cloudpickle
import numpy as np

from mlaudit.arms import Arm
from mlaudit.outcomes import as_vector
from mlaudit.protocols import Mechanism, Samples
from mlaudit.testing.checks import Check, check
from mlaudit.types.claim import Claim
from mlaudit.types.pair import Pair

_TRIES = 20


def check_mechanism(mechanism: Mechanism, pair: Pair) -> list[Check]:
    """Every expectation, tried on the pair.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> all(result.passed for result in check_mechanism(Laplace(1.0), Laplace(1.0).tight_pair(1)))
    True
    """
    base, other = (Arm(mechanism, data, pair.target, seed=1) for data in (pair.base, pair.neighbour))
    checks = [
        check("it states a claim", lambda: "" if isinstance(mechanism.claim, Claim) else "claim is not a Claim"),
        check("both datasets lie in its domain", lambda: _in_domain(mechanism, pair)),
        check("a training gives numbers", lambda: _gives_numbers(base) or _gives_numbers(other)),
        check("the same seed gives the same output", lambda: _repeats(base)),
        check("another seed gives another output", lambda: _varies(base)),
        check("it can be sent to worker processes", lambda: _travels(mechanism)),
    ]
    if isinstance(mechanism, Samples):
        checks.append(check("sample() agrees with fit() in shape", lambda: _sample_shape(mechanism, base)))
    return checks


def _in_domain(mechanism: Mechanism, pair: Pair) -> str:
    domain = mechanism.domain(pair.base)
    Pair(pair.base.within(domain), pair.neighbour)
    return ""


def _train(arm: Arm, place: int) -> bytes:
    model = arm.mechanism.fit(arm.data, arm.seed_of(place))
    return as_vector(arm.mechanism.summary(model, arm.target)).tobytes()


def _gives_numbers(arm: Arm) -> str:
    _train(arm, 0)
    return ""


def _repeats(arm: Arm) -> str:
    if _train(arm, 0) == _train(arm, 0):
        return ""
    return "two trainings with one seed differ; take all randomness from the seed or generator that is passed in"


def _varies(arm: Arm) -> str:
    outputs = {_train(arm, place) for place in range(_TRIES)}
    return "" if len(outputs) > 1 else f"{_TRIES} seeds gave one and the same output; is the seed used?"


def _travels(mechanism: Mechanism) -> str:
    cloudpickle.loads(cloudpickle.dumps(mechanism))
    return ""


def _sample_shape(mechanism: Samples, arm: Arm) -> str:
    z = np.asarray(mechanism.sample(arm.data, arm.target, 3, arm.seed_of(0)), dtype=float)
    wanted = len(np.frombuffer(_train(arm, 0)))
    return "" if z.shape == (3, wanted) else f"sample gave {z.shape} for 3 trainings of {wanted} numbers"
