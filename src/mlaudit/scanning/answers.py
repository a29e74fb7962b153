"""What a fitted object answers when it is asked about rows: as much a part of it as its attributes."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mlaudit.scanning.walk import Readings, number
from mlaudit.types.arrays import FloatArray

_QUESTIONS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


def answers(model: object, probes: FloatArray) -> Readings:
    """The answers of a model, and of every estimator it is made of, at the probed rows.

    >>> class Constant:
    ...     def predict(self, X):
    ...         return np.ones(len(X))
    >>> answers(Constant(), np.zeros((2, 1)))
    {'predict(row 0)': 1.0, 'predict(row 1)': 1.0}
    """
    parts = getattr(model, "estimators_", None)
    members = list(np.ravel(np.asarray(parts, dtype=object))) if isinstance(parts, list | np.ndarray) else []
    asked = [("", model), *((f"estimators_[{place}].", member) for place, member in enumerate(members))]
    return {path: value for prefix, one in asked for path, value in _asked(prefix, one, probes)}


def _asked(prefix: str, model: Any, probes: FloatArray) -> Iterator[tuple[str, Any]]:
    for question in _QUESTIONS:
        ask = getattr(model, question, None)
        if not callable(ask):
            continue
        try:
            given = np.asarray(ask(probes))
        except Exception as error:  # noqa: BLE001 - whatever a model raises may leak
            yield f"{prefix}{question} raised", type(error).__name__
            continue
        if len(given) != len(probes):
            continue
        for (row, *place), entry in np.ndenumerate(given):
            index = f"[{', '.join(map(str, place))}]" if place else ""
            value = number(float(entry)) if given.dtype.kind in "biuf" else str(entry)
            yield f"{prefix}{question}(row {row}){index}", value
