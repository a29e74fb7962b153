"""Something to try a mechanism on when nobody names a pair: random rows, one of which is moved."""

import numpy as np
from numpy.random import default_rng

from mlaudit.attacks.tight import HasTightPair
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.testing.attack import random_data
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import replace_rows
from mlaudit.types.pair import Pair


def make_pair(mechanism: Mechanism, *, seed: int = 0) -> Pair:
    """The mechanism's own tight pair, or random rows in its domain, of which one goes to the far corner.

    Raises:
        InvalidInput: If the mechanism refuses the random rows.

    Example:
        >>> from mlaudit.mechanisms.laplace import Laplace
        >>> make_pair(Laplace()).rows
        1
    """
    if isinstance(mechanism, HasTightPair):
        return mechanism.tight_pair(1)
    data = random_data(default_rng(seed))
    try:
        domain = mechanism.domain(data)
        if isinstance(domain, Columns):
            return _typed_pair(domain, data)
        project = (lambda X: X) if domain is None else domain.project
        data = data.with_rows(project(data.X), data.y).within(domain)
        far = project(data.X[1:].max(axis=0)[None, :])
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InvalidInput(
            f"{mechanism_name(mechanism)} must accept a table of {data.X.shape[1]} columns to be tried on random "
            f"rows, got {type(error).__name__}: {error}; give --pair"
        ) from error
    return Pair(data, replace_rows(data, [0], far), target=np.asarray(far[0]))


def _typed_pair(domain: Columns, data: Dataset) -> Pair:
    """Rows of a typed domain: the first at the lower corner on one side, at the upper on the other."""
    share = np.resize(data.X, (len(data), len(domain.low))) % 1.0
    X = domain.project(domain.low + share * (domain.high - domain.low))
    X[0] = domain.low
    base = Dataset(X, data.y, domain)
    return Pair(base, replace_rows(base, [0], domain.high), target=domain.high)
