"""How diffprivlib is called: its own fit, full-entropy generators, its privacy warnings as errors."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.random import MT19937, RandomState, SeedSequence

from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.naming.clashes import refuse_clashing_versions
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, L2Ball, Label


def models() -> Any:
    """diffprivlib.models, imported at the first training."""
    try:
        from diffprivlib import models as found  # noqa: PLC0415 - an extra
    except ImportError:
        refuse_clashing_versions()
        raise MissingExtra("diffprivlib", "diffprivlib") from None
    refuse_clashing_versions()  # beside scikit-learn 1.8 the import succeeds, and the fit of some models fails
    return found


def private_settings(seed: SeedSequence) -> dict[str, Any]:
    """Randomness from the seed alone, and an accountant of its own.

    Without the first, mechanisms draw from the system and forests from numpy's global generator, the same one in two
    forked workers. Without the second, every fit deep-copies a global list of all spending so far.
    """
    from diffprivlib import BudgetAccountant  # noqa: PLC0415 - an extra

    return {"random_state": RandomState(MT19937(seed)), "accountant": BudgetAccountant()}


@contextmanager
def refuse_privacy_leaks() -> Iterator[None]:
    """Turn diffprivlib's warnings that privacy leaks into errors; ignore all other warnings."""
    from diffprivlib.utils import PrivacyLeakWarning  # noqa: PLC0415 - an extra

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", PrivacyLeakWarning)
        yield


def classes_of(data: Dataset, most: int | None = None) -> tuple[Label, ...]:
    """The classes of D: two or more, at most as many as the learner takes.

    >>> classes_of(Dataset(np.zeros(6), y=["a", "b", "a", "c", "b", "a"]))
    ('a', 'b', 'c')
    """
    found: tuple[Label, ...] = () if data.y is None else tuple(np.unique(data.y).tolist())
    if most is not None and len(found) > most:
        raise InvalidInput(
            f"this mechanism learns {most} classes, got labels of {len(found)}; name two of them with --classes, or "
            "classes= in Preparation"
        )
    if len(found) < 2:
        raise InvalidInput(f"this mechanism needs labels of two classes or more, got {len(found)}")
    if len(found) > 2 and 2 * len(found) > len(data):
        raise InvalidInput(
            f"this mechanism learns classes, got {len(found)} different labels in {len(data)} rows; for numbers to "
            "be predicted audit a regression, such as linear_regression"
        )
    return found


def box_of(data: Dataset) -> Box:
    """The smallest box around D, with D's classes: fixed once, on D."""
    return Box.enclosing(data.X, classes_of(data))


def ball_of(data: Dataset, most: int | None = None) -> L2Ball:
    """The smallest ball around D, with D's classes: fixed once, on D."""
    return L2Ball.enclosing(data.X, classes_of(data, most))


def require_domain(kind: type[Domain], data: Dataset) -> Any:
    """The domain that was fixed on D, of the kind that is needed; bounds are never taken from the rows."""
    if not isinstance(data.domain, kind):
        raise InvalidInput(
            f"this mechanism's data must carry a domain of kind {kind.__name__}, got {type(data.domain).__name__}; "
            "declare it with data.within(mechanism.domain(data))"
        )
    return data.domain
