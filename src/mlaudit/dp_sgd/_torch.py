"""Lazy imports of torch and Opacus."""

import warnings
from typing import Any

from mlaudit.errors import MissingExtra


def torch() -> Any:
    """Import torch and set it to one thread: two threads on a busy machine are many times slower."""
    try:
        import torch as found  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("torch", "dpsgd") from None
    if found.get_num_threads() != 1:
        found.set_num_threads(1)
    return found


def opacus() -> Any:
    """Import Opacus without its warnings about other packages."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import opacus as found  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("opacus", "dpsgd") from None
    return found
