"""Read what a fitted object predicts for some rows."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from mlaudit.distinguish.clues import Value
from mlaudit.scanning.walk import Readings, numbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.columns import Columns
from mlaudit.types.domain import Domain
from mlaudit.types.frame import make_frame
from mlaudit.types.outputs import read_numbers

_QUESTIONS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


def read_answers(model: object, probes: FloatArray, domain: Domain | None = None) -> Readings:
    """Read the predictions of a model for the probed rows, and those of every estimator in it.

    A model of a typed table is asked about a DataFrame, as it was fitted to one.

    >>> class Constant:
    ...     def predict(self, X):
    ...         return np.ones(len(X))
    >>> read_answers(Constant(), np.zeros((2, 1)))
    {'predict(row 0)': 1.0, 'predict(row 1)': 1.0}
    """
    if isinstance(domain, Columns):
        if not any(callable(getattr(model, question, None)) for question in _QUESTIONS):
            return {}
        return dict(_ask("", model, _QUESTIONS, make_frame(domain.decode(probes))))
    parts = getattr(model, "estimators_", None)
    members = list(np.ravel(np.asarray(parts, dtype=object))) if isinstance(parts, list | np.ndarray) else []
    found = dict(_ask("", model, _QUESTIONS, probes))
    for number, member in enumerate(members):
        found |= _ask(f"estimators_[{number}].", member, ("predict",), probes)
    return found


def _ask(prefix: str, model: Any, questions: Iterable[str], probes: Any) -> Iterator[tuple[str, Value]]:
    for question in questions:
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
        for row, answer in enumerate(given):
            path = f"{prefix}{question}(row {row})"
            read = read_numbers(answer)
            yield from [(path, str(answer))] if read is None else numbers(path, read)
