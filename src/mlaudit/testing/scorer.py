"""The contract of a scorer: one finite log-odds for each row, by that row alone, and a value that can be saved."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.random import default_rng

from mlaudit.errors import InvalidInput
from mlaudit.naming.codec import decode, encode
from mlaudit.protocols import VectorScorer
from mlaudit.testing.checks import Check, check
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import quote

_MOST_COLUMNS = 100
_SAME = 1e-9  # relative: sums in another order differ in the last digits


def check_scorer(scorer: VectorScorer, columns: int | None = None, *, seed: int = 0) -> list[Check]:
    """Check a learned scorer of vectors against what mlaudit expects of it.

    Args:
        scorer: The scorer, as a classifier's `fit` returns it.
        columns: The number of columns it was learned on; without it, the first number that it takes.
        seed: Seed of the rows that it scores.

    Returns:
        One check for each expectation.

    Example:
        >>> from mlaudit.classifiers.logistic import LinearScorer
        >>> scorer = LinearScorer(np.zeros(2), np.ones(2), np.array([1.0, -1.0]), 0.0)
        >>> [str(result) for result in check_scorer(scorer, 2) if not result.passed]
        []
    """
    return [
        check("every row has one finite score", lambda: find_bad_scores(scorer, _rows(scorer, columns, seed))),
        check("a score depends on its own row alone", lambda: find_dependent(scorer, _rows(scorer, columns, seed))),
        check("it leaves the rows as they are", lambda: _find_written(scorer, _rows(scorer, columns, seed))),
        check("it is a frozen dataclass", lambda: find_thawed(scorer)),
        check("a result file keeps it", lambda: find_unsaved(scorer, _rows(scorer, columns, seed))),
    ]


def make_rows(columns: int, seed: int = 0) -> FloatArray:
    """Rows as learners return them: near, far, equal, tiny and very large.

    >>> make_rows(3).shape
    (48, 3)
    """
    rng = default_rng(seed)
    near = rng.normal(size=(40, columns))
    special = np.array([0.0, -0.0, 1.0, -1e6, 1e19, -1e300, 1e-310, 0.1])
    return np.vstack([near, np.repeat(special[:, None], columns, axis=1)])


def _rows(scorer: VectorScorer, columns: int | None, seed: int) -> FloatArray:
    if columns is not None:
        return make_rows(columns, seed)
    for tried in range(1, _MOST_COLUMNS + 1):
        try:
            scorer(make_rows(tried, seed))
        except Exception:  # noqa: BLE001, S112 - another number of columns
            continue
        return make_rows(tried, seed)
    raise InvalidInput(
        f"a scorer must take rows of 1 to {_MOST_COLUMNS} columns, got none that it takes; give columns"
    )


def find_bad_scores(scorer: VectorScorer, rows: FloatArray) -> str:
    """Scores that are missing, or no finite numbers; "" if there are none."""
    scores = np.asarray(scorer(rows))
    if scores.shape != (len(rows),):
        return f"{len(rows)} rows gave scores of shape {scores.shape}; return one number for each row"
    bad = np.flatnonzero(~np.isfinite(scores.astype(float)))
    return (
        "" if not bad.size else f"the row {quote(rows[bad[0]].tolist())} scored {scores[bad[0]]}; limit the log-odds"
    )


def find_dependent(scorer: VectorScorer, rows: FloatArray) -> str:
    """Rows that score differently in other company; "" if there are none. Draws are scored in chunks."""
    together = np.asarray(scorer(rows), dtype=float)
    for part in (slice(0, 1), slice(5, 17), slice(None, None, -1)):
        apart = np.asarray(scorer(rows[part]), dtype=float)
        if not np.allclose(apart, together[part], rtol=_SAME, atol=_SAME):
            return "rows score differently when others are scored beside them; take nothing from the rows scored"
    return ""


def _find_written(scorer: VectorScorer, rows: FloatArray) -> str:
    before = rows.copy()
    scorer(rows)
    return "" if rows.tobytes() == before.tobytes() else "the rows were changed in place; work on a copy"


def find_thawed(scorer: Any) -> str:
    """Why a scorer can change; "" if it is a frozen dataclass."""
    if not is_dataclass(scorer) or isinstance(scorer, type):
        return f"it is a {type(scorer).__name__}; make it a frozen dataclass of numbers and arrays"
    frozen = type(scorer).__dataclass_params__.frozen  # type: ignore[attr-defined]
    return "" if frozen else f"{type(scorer).__name__} is a dataclass that can change; write @dataclass(frozen=True)"


def find_unsaved(scorer: VectorScorer, rows: FloatArray) -> str:
    """What a result file loses of a scorer; "" if it reads back to the same scores."""
    try:
        text = json.dumps(encode(scorer))
    except InvalidInput as error:
        return f"{error}; keep numbers, text, arrays and frozen dataclasses in its fields"
    again = decode(json.loads(text), trusted=tuple(_classes(scorer)))
    same = np.array_equal(np.asarray(again(rows)), np.asarray(scorer(rows)))
    return "" if same else "after writing and reading it scores differently; keep all it needs in its fields"


def _classes(value: Any) -> Iterator[type]:
    """The classes of a value and of its parts: those a reader of the file has to trust."""
    if is_dataclass(value) and not isinstance(value, type):
        yield type(value)
        for field in fields(value):
            yield from _classes(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _classes(part)
