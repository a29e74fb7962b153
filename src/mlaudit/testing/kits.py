"""The kit of every kind of part, and how a part of a user's file is recognised."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlaudit import protocols
from mlaudit.attacks._surrogates import Surrogate
from mlaudit.canaries.protocols import CanaryTrainer, StepTrainer
from mlaudit.testing.attack import check_attack
from mlaudit.testing.checks import Check
from mlaudit.testing.classifier import check_classifier
from mlaudit.testing.draw import check_draw
from mlaudit.testing.engine import check_engine
from mlaudit.testing.interval import check_interval
from mlaudit.testing.procedure import check_procedure
from mlaudit.testing.scorer import check_scorer
from mlaudit.testing.store import check_store
from mlaudit.testing.surrogate import check_surrogate
from mlaudit.testing.trainer import check_trainer


@dataclass(frozen=True)
class Kit:
    """A kind of part, the protocols that it keeps or may keep, how it is recognised, and its checks."""

    kind: str
    protocols: tuple[type, ...]
    recognises: Callable[[Any], bool]
    check: Callable[[Any], list[Check]]


def find_kit(part: object) -> Kit | None:
    """The kit of a part; None for what may be a mechanism, or nothing that mlaudit knows.

    Example:
        >>> from mlaudit.drawing.engines.in_process import InProcess
        >>> find_kit(InProcess()).kind
        'an engine'
    """
    return next((kit for kit in KITS if kit.recognises(part)), None)


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda part: all(hasattr(part, name) for name in names)


def _parameters(call: Any) -> tuple[str, ...]:
    """The names of a function's parameters, without self; nothing for what has no signature."""
    try:
        return tuple(name for name in inspect.signature(call).parameters if name != "self")
    except (TypeError, ValueError):
        return ()


def _is_attack(part: Any) -> bool:
    """An attack takes (mechanism, data, rows, rng); a mechanism's function takes (data, rng)."""
    return callable(part) and not hasattr(part, "fit") and "rows" in _parameters(part)


def _is_classifier(part: Any) -> bool:
    """A classifier has fit(z, labels); an estimator has fit(X, y)."""
    return _parameters(getattr(part, "fit", None)) == ("z", "labels")


def _is_scorer(part: Any) -> bool:
    """A scorer takes z alone."""
    return callable(part) and not isinstance(part, type) and _parameters(part) == ("z",)


def _is_trainer(part: Any) -> bool:
    return hasattr(part, "observe_steps") or "included" in _parameters(getattr(part, "scores", None))


def _is_procedure(part: Any) -> bool:
    return callable(part) and hasattr(part, "confirm")


KITS = (
    Kit("an interval", (protocols.Interval, protocols.HasSearchInterval), _has("log_ratio"), check_interval),
    Kit("an engine", (protocols.Engine,), _has("map_unordered"), check_engine),
    Kit("a store", (protocols.Store,), _has("read", "put"), check_store),
    Kit("a surrogate", (Surrogate,), _has("loss_gradient", "hessian"), check_surrogate),
    Kit("a trainer of canaries", (CanaryTrainer, StepTrainer), _is_trainer, check_trainer),
    Kit(
        "a procedure",
        (protocols.Procedure, protocols.ChecksClaim, protocols.StatesCeiling, protocols.UsesShift),
        _is_procedure,
        check_procedure,
    ),
    Kit(
        "a draw",
        (protocols.Draw, protocols.KnowsShift, protocols.LearnsShift),
        _has("coins", "remaining", "__call__"),
        check_draw,
    ),
    Kit("a classifier", (protocols.Classifier, protocols.Grows, protocols.Learner), _is_classifier, check_classifier),
    Kit("an attack", (protocols.Attack, protocols.Observes, protocols.ChangesRows), _is_attack, check_attack),
    Kit("a scorer", (protocols.VectorScorer,), _is_scorer, check_scorer),
)
