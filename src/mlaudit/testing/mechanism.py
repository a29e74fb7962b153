"""What mlaudit expects of a mechanism."""

import cloudpickle

from mlaudit.adapters.prediction_at import Predicts
from mlaudit.attacks._surrogates import HasSurrogate
from mlaudit.attacks.shadow import HasShadows
from mlaudit.attacks.tight import HasTightPair
from mlaudit.drawing.outcome import as_numbers, as_reading
from mlaudit.drawing.stream import TrainingStream
from mlaudit.protocols import HasRecipe, Mechanism, Samples, SummarisesDeaths
from mlaudit.testing.checks import Check, check
from mlaudit.testing.loose_names import describe_loose_methods, describe_loose_traits
from mlaudit.types.claim import Claim
from mlaudit.types.pair import Pair

_TRIES = 20
_OPTIONAL = (Samples, Predicts, HasTightPair, HasSurrogate, HasShadows, HasRecipe, SummarisesDeaths)


def check_mechanism(mechanism: Mechanism, pair: Pair) -> list[Check]:
    """Every expectation, tried on the pair.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> all(result.passed for result in check_mechanism(Laplace(1.0), Laplace(1.0).tight_pair(1)))
    True
    """
    base, other = (TrainingStream(mechanism, data, pair.target, seed=1) for data in (pair.base, pair.neighbour))
    checks = [
        check("it states a claim", lambda: "" if isinstance(mechanism.claim, Claim) else "claim is not a Claim"),
        check("every trait it declares is known", lambda: describe_loose_traits(mechanism)),
        check("every optional method it has is known", lambda: describe_loose_methods(mechanism, *_OPTIONAL)),
        check("both datasets lie in its domain", lambda: _check_domain(mechanism, pair)),
        check("a training gives an output that can be read", lambda: _check_numbers(base) or _check_numbers(other)),
        check("the same seed gives the same output", lambda: _check_same_seed(base)),
        check("another seed gives another output", lambda: _check_other_seeds(base)),
        check("it can be sent to worker processes", lambda: _check_pickling(mechanism)),
    ]
    if isinstance(mechanism, Samples):
        checks.append(check("sample() agrees with fit() in shape", lambda: _check_sample_shape(mechanism, base)))
    return checks


def _check_domain(mechanism: Mechanism, pair: Pair) -> str:
    domain = mechanism.domain(pair.base)
    Pair(pair.base.within(domain), pair.neighbour)
    return ""


def _train(stream: TrainingStream, index: int) -> bytes:
    model = stream.mechanism.fit(stream.data, stream.seed_of(index))
    read = as_reading(stream.mechanism.summary(model, stream.target))
    return read.kind.encode() + read.numbers.tobytes()


def _check_numbers(stream: TrainingStream) -> str:
    _train(stream, 0)
    return ""


def _check_same_seed(stream: TrainingStream) -> str:
    if _train(stream, 0) == _train(stream, 0):
        return ""
    return "two trainings with one seed differ; take all randomness from the seed or generator that is passed in"


def _check_other_seeds(stream: TrainingStream) -> str:
    outputs = {_train(stream, index) for index in range(_TRIES)}
    return "" if len(outputs) > 1 else f"{_TRIES} seeds gave one and the same output; is the seed used?"


def _check_pickling(mechanism: Mechanism) -> str:
    cloudpickle.loads(cloudpickle.dumps(mechanism))
    return ""


def _check_sample_shape(mechanism: Samples, stream: TrainingStream) -> str:
    z = as_numbers(mechanism.sample(stream.data, stream.target, 3, stream.seed_of(0)))
    model = mechanism.fit(stream.data, stream.seed_of(0))  # type: ignore[attr-defined]  # it is a mechanism, too
    wanted = len(as_reading(stream.mechanism.summary(model, stream.target)).numbers)
    return "" if z.shape == (3, wanted) else f"sample gave {z.shape} for 3 trainings of {wanted} numbers"
