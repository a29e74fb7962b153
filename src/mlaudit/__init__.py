"""Measure, by experiment, how much privacy a differentially private learner really gives.

The public names are loaded when they are first used, so that the command line starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mlaudit.adapters.estimator import EstimatorMechanism
    from mlaudit.adapters.function import FunctionMechanism
    from mlaudit.attacks.search import Search
    from mlaudit.auditing import audit, confirm
    from mlaudit.canaries.result import CanaryResult
    from mlaudit.canaries.running import one_run, white_box
    from mlaudit.engines.dask_engine import DaskEngine
    from mlaudit.engines.in_process import InProcess
    from mlaudit.engines.isolated import Isolated
    from mlaudit.engines.joblib_engine import JoblibEngine
    from mlaudit.engines.ray_engine import RayEngine
    from mlaudit.errors import AuditError
    from mlaudit.procedures.gdp_accuracy import GdpAccuracy
    from mlaudit.procedures.one_run import OneRun
    from mlaudit.procedures.progressive import Progressive
    from mlaudit.procedures.sequential import Sequential
    from mlaudit.procedures.two_phase import TwoPhase
    from mlaudit.report.json import dumps, load
    from mlaudit.report.text import render
    from mlaudit.scanning.running import scan
    from mlaudit.searching.witness import minimal_witness
    from mlaudit.searching.worst import Worst
    from mlaudit.stores.memory import MemoryStore
    from mlaudit.stores.sqlite import SqliteStore
    from mlaudit.types.claim import Claim, Relation
    from mlaudit.types.dataset import Dataset
    from mlaudit.types.domain import Box, L2Ball
    from mlaudit.types.draws import Draws
    from mlaudit.types.finding import ArmCounts, Bets, Bound, Finding, GuessCounts, Witness
    from mlaudit.types.pair import Pair
    from mlaudit.types.result import AuditResult, Provenance

_HOMES = {
    "adapters.estimator": ("EstimatorMechanism",),
    "adapters.function": ("FunctionMechanism",),
    "attacks.search": ("Search",),
    "auditing": ("audit", "confirm"),
    "canaries.result": ("CanaryResult",),
    "canaries.running": ("one_run", "white_box"),
    "engines.dask_engine": ("DaskEngine",),
    "engines.in_process": ("InProcess",),
    "engines.isolated": ("Isolated",),
    "engines.joblib_engine": ("JoblibEngine",),
    "engines.ray_engine": ("RayEngine",),
    "errors": ("AuditError",),
    "procedures.gdp_accuracy": ("GdpAccuracy",),
    "procedures.one_run": ("OneRun",),
    "procedures.progressive": ("Progressive",),
    "procedures.sequential": ("Sequential",),
    "procedures.two_phase": ("TwoPhase",),
    "report.json": ("dumps", "load"),
    "report.text": ("render",),
    "scanning.running": ("scan",),
    "searching.witness": ("minimal_witness",),
    "searching.worst": ("Worst",),
    "stores.memory": ("MemoryStore",),
    "stores.sqlite": ("SqliteStore",),
    "types.claim": ("Claim", "Relation"),
    "types.dataset": ("Dataset",),
    "types.domain": ("Box", "L2Ball"),
    "types.draws": ("Draws",),
    "types.finding": ("ArmCounts", "Bets", "Bound", "Finding", "GuessCounts", "Witness"),
    "types.pair": ("Pair",),
    "types.result": ("AuditResult", "Provenance"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ArmCounts",
    "AuditError",
    "AuditResult",
    "Bets",
    "Bound",
    "Box",
    "CanaryResult",
    "Claim",
    "DaskEngine",
    "Dataset",
    "Draws",
    "EstimatorMechanism",
    "Finding",
    "FunctionMechanism",
    "GdpAccuracy",
    "GuessCounts",
    "InProcess",
    "Isolated",
    "JoblibEngine",
    "L2Ball",
    "MemoryStore",
    "OneRun",
    "Pair",
    "Progressive",
    "Provenance",
    "RayEngine",
    "Relation",
    "Search",
    "Sequential",
    "SqliteStore",
    "TwoPhase",
    "Witness",
    "Worst",
    "audit",
    "confirm",
    "dumps",
    "load",
    "minimal_witness",
    "one_run",
    "render",
    "scan",
    "white_box",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'mlaudit' has no attribute {name!r}")
    value = getattr(import_module(f"mlaudit.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
