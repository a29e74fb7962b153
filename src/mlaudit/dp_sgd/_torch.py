"""torch and Opacus, imported when a network is first trained with them."""

import warnings
from typing import Any

from mlaudit.errors import MissingExtra


def torch() -> Any:
    """The package, on one thread: two on a busy machine are many times slower."""
    try:
        import torch as found  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("torch", "dpsgd") from None
    if found.get_num_threads() != 1:
        found.set_num_threads(1)
    return found


def opacus() -> Any:
    """The package; what it says when it is imported is about other packages."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import opacus as found  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("opacus", "dpsgd") from None
    return found
