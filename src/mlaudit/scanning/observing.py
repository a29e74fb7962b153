"""One training as somebody sees it who gets the object and watches the screen."""

import warnings

from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.protocols import Mechanism
from mlaudit.scanning.answers import answers
from mlaudit.scanning.products import products
from mlaudit.scanning.walk import Readings, walk
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset

RAISED, MESSAGE, WARNED = "raised", "raised.message", "warned"


def observe(mechanism: Mechanism, data: Dataset, seed: SeedSequence, probes: FloatArray | None) -> Readings:
    """All that a training shows: attributes, answers, warnings, or what it raised.

    >>> from mlaudit.adapters.function import FunctionMechanism
    >>> from mlaudit.types.claim import Claim
    >>> careless = FunctionMechanism(lambda data, rng: 1 / len(data), Claim(1.0))
    >>> observe(careless, Dataset([0.0, 1.0]), SeedSequence(0), None)
    {'output': 0.5}
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = mechanism.fit(data, seed)
        except (MemoryError, InvalidInput, MissingExtra):
            raise  # not the learner's output: the machine's, or ours
        except KeyboardInterrupt:
            raise  # the user's
        except BaseException as error:  # noqa: BLE001 - whatever a learner raises may leak
            return {RAISED: type(error).__name__, MESSAGE: str(error), **_warned(caught)}
        said = _warned(caught)  # what asking it says afterwards is about the probes
        asked = {} if probes is None else answers(model, probes)
        return {**walk(model), **products(model), **asked, **said}


def dead(kind: str) -> Readings:
    """What everybody sees of a training that ended its own process."""
    return {RAISED: kind, MESSAGE: ""}


def _warned(caught: list[warnings.WarningMessage]) -> Readings:
    names = sorted({warning.category.__name__ for warning in caught})
    return {WARNED: ", ".join(names)} if names else {}
