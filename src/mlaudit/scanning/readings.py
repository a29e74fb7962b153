"""Read everything that one training shows: the fitted object, its predictions, warnings and exceptions."""

import warnings

from numpy.random import SeedSequence

from mlaudit.drawing.deaths import DiedElsewhere
from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.protocols import Mechanism
from mlaudit.scanning.answers import read_answers
from mlaudit.scanning.products import read_products
from mlaudit.scanning.walk import Readings, read_attributes
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset

RAISED, MESSAGE, WARNED = "raised", "raised.message", "warned"


def read_training(mechanism: Mechanism, data: Dataset, seed: SeedSequence, probes: FloatArray | None) -> Readings:
    """Train once and read attributes, predictions and warnings, or the exception.

    >>> from mlaudit.adapters.function import FunctionMechanism
    >>> from mlaudit.types.claim import Claim
    >>> careless = FunctionMechanism(lambda data, rng: 1 / len(data), Claim(1.0))
    >>> read_training(careless, Dataset([0.0, 1.0]), SeedSequence(0), None)
    {'output': 0.5}
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = mechanism.fit(data, seed)
        except (MemoryError, InvalidInput, MissingExtra):
            raise  # of the machine or of mlaudit, not an output of the learner
        except KeyboardInterrupt:
            raise  # of the user
        except DiedElsewhere as error:
            return readings_of_death(error.death.kind)
        except BaseException as error:  # noqa: BLE001 - whatever a learner raises may leak
            return {RAISED: type(error).__name__, MESSAGE: str(error), **_read_warnings(caught)}
        said = _read_warnings(caught)  # later warnings are about the probes
        asked = {} if probes is None else read_answers(model, probes, data.domain)
        return {**read_attributes(model), **read_products(model), **asked, **said}


def readings_of_death(kind: str) -> Readings:
    """The readings of a training that ended its own process."""
    return {RAISED: kind, MESSAGE: ""}


def _read_warnings(caught: list[warnings.WarningMessage]) -> Readings:
    names = sorted({warning.category.__name__ for warning in caught})
    return {WARNED: ", ".join(names)} if names else {}
