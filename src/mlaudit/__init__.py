"""Measure, by experiment, how much privacy a differentially private learner really gives.

The names below are the public surface; everything else is reached by its sub-package. Each name is loaded when it is
first used, so that the command line starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.2.0"

# The public names by the module that defines them: the source of __all__, __getattr__ and __dir__.
_HOMES = {
    "adapters.estimator": ("EstimatorMechanism",),
    "adapters.function": ("FunctionMechanism",),
    "attacks.search": ("Search",),
    "auditing.call": ("audit", "confirm"),
    "canaries.result": ("CanaryResult",),
    "canaries.run": ("one_run", "white_box"),
    "drawing.engines.loky": ("LokyEngine",),
    "drawing.stores.sqlite": ("SqliteStore",),
    "errors": ("AuditError",),
    "refuting.result": ("ClaimTest",),
    "refuting.run": ("refute",),
    "results.audit_result": ("AuditResult",),
    "results.protocol": ("Result",),
    "scanning.result": ("ScanResult",),
    "scanning.run": ("scan",),
    "search.worst": ("Worst",),
    "types.claim": ("Claim", "Relation"),
    "types.dataset": ("Dataset",),
    "types.domain": ("Box", "L2Ball"),
    "types.pair": ("Pair",),
    "types.traits": ("Traits",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME_OF]  # noqa: PLE0604 - names of the table above

if TYPE_CHECKING:  # type checkers read imports only; a test holds that these are the names of the table
    from mlaudit.adapters.estimator import EstimatorMechanism as EstimatorMechanism
    from mlaudit.adapters.function import FunctionMechanism as FunctionMechanism
    from mlaudit.attacks.search import Search as Search
    from mlaudit.auditing.call import audit as audit
    from mlaudit.auditing.call import confirm as confirm
    from mlaudit.canaries.result import CanaryResult as CanaryResult
    from mlaudit.canaries.run import one_run as one_run
    from mlaudit.canaries.run import white_box as white_box
    from mlaudit.drawing.engines.loky import LokyEngine as LokyEngine
    from mlaudit.drawing.stores.sqlite import SqliteStore as SqliteStore
    from mlaudit.errors import AuditError as AuditError
    from mlaudit.refuting.result import ClaimTest as ClaimTest
    from mlaudit.refuting.run import refute as refute
    from mlaudit.results.audit_result import AuditResult as AuditResult
    from mlaudit.results.protocol import Result as Result
    from mlaudit.scanning.result import ScanResult as ScanResult
    from mlaudit.scanning.run import scan as scan
    from mlaudit.search.worst import Worst as Worst
    from mlaudit.types.claim import Claim as Claim
    from mlaudit.types.claim import Relation as Relation
    from mlaudit.types.dataset import Dataset as Dataset
    from mlaudit.types.domain import Box as Box
    from mlaudit.types.domain import L2Ball as L2Ball
    from mlaudit.types.pair import Pair as Pair
    from mlaudit.types.traits import Traits as Traits
else:  # type checkers then refuse a name that is not public

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module 'mlaudit' has no attribute {name!r}")
        value = getattr(import_module(f"mlaudit.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
