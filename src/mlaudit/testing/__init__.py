"""For test suites: assert_private(), and a contract kit for every kind of part that is written elsewhere.

A kit is a function of a module named like the kind: `mlaudit.testing.engine.check_engine(my_engine)`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlaudit.testing.private import PrivacyViolation, assert_private

__all__ = ["PrivacyViolation", "assert_private"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'mlaudit.testing' has no attribute {name!r}")
    from mlaudit.testing import private  # noqa: PLC0415 - only where used

    return getattr(private, name)
