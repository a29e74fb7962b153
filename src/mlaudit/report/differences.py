"""What is different between D and D′, in words."""

from difflib import SequenceMatcher

import numpy as np

from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_ROWS, _NUMBERS = 3, 6  # as many as a reader takes in


def differences(pair: Pair) -> list[str]:
    """One line for each row that was changed, the first few of them.

    >>> differences(Pair(Dataset([[0.0, 1.0], [2.0, 3.0]], [0, 1]), Dataset([[0.0, 1.0], [2.0, 9.5]], [0, 0])))
    ['row 1: [2, 3], label 1, became [2, 9.5], label 0']
    >>> differences(Pair(Dataset([0.0, 1.0]), Dataset([0.0, 1.0, 1.0])))
    ['row 2 was added: [1]']
    """
    lines = _replaced(pair) if len(pair.base) == len(pair.neighbour) else _moved(pair)
    more = len(lines) - _ROWS
    return lines if more <= 0 else [*lines[:_ROWS], f"and {more} more like these"]


def _replaced(pair: Pair) -> list[str]:
    differ = (pair.base.X != pair.neighbour.X).any(axis=1)
    if pair.base.y is not None and pair.neighbour.y is not None:
        differ |= pair.base.y != pair.neighbour.y
    return [
        f"row {i}: {_row(pair.base, i)}, became {_row(pair.neighbour, i)}" for i in np.flatnonzero(differ).tolist()
    ]


def _moved(pair: Pair) -> list[str]:
    base, neighbour = ([_key(data, i) for i in range(len(data))] for data in (pair.base, pair.neighbour))
    lines: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, base, neighbour, autojunk=False).get_opcodes():
        if kind != "equal":
            lines += [f"row {i} was removed: {_row(pair.base, i)}" for i in range(a, b)]
            lines += [f"row {i} was added: {_row(pair.neighbour, i)}" for i in range(c, d)]
    return lines


def _key(data: Dataset, i: int) -> tuple[bytes, object]:
    return data.X[i].tobytes(), None if data.y is None else data.y[i].item()


def _row(data: Dataset, i: int) -> str:
    shown = ", ".join(f"{value:.6g}" for value in data.X[i, :_NUMBERS])
    more = f", … {data.X.shape[1]} numbers" if data.X.shape[1] > _NUMBERS else ""
    return f"[{shown}{more}]" + ("" if data.y is None else f", label {data.y[i].item()!r}")
