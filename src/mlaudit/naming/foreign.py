"""Whether code comes from mlaudit or from somebody else."""

from functools import partial
from types import FunctionType
from typing import Any

CATALOGUES = "mlaudit.library.catalogues."  # their functions call the libraries that are audited


def is_foreign(value: object) -> bool:
    """Whether a mechanism, or what it wraps, comes from somewhere else than mlaudit.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> is_foreign(Laplace(1.0)), is_foreign(sorted)
    (False, True)
    """
    if isinstance(value, partial):
        return is_foreign(value.func)
    owner: Any = value if isinstance(value, FunctionType | type) else type(value)
    module = str(owner.__module__)
    if module.partition(".")[0] != "mlaudit" or module.startswith(CATALOGUES):
        return True
    inner = [] if owner is value else getattr(value, "__dict__", {}).values()
    return any(is_foreign(part) for part in inner if callable(part) or hasattr(part, "fit"))
