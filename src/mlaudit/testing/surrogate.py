"""The contract of a surrogate: gradients and a Hessian of one smooth model that can be inverted."""

import numpy as np
from numpy.random import default_rng

from mlaudit.attacks._surrogates import Surrogate
from mlaudit.errors import InvalidInput
from mlaudit.testing.checks import Check, check
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import with_methods
from mlaudit.types.numbers import measurement

_MOST_COLUMNS = 100
_SAME = 1e-8  # relative


def check_surrogate(surrogate: Surrogate, columns: int | None = None) -> list[Check]:
    """Check a fitted surrogate against what mlaudit expects of it.

    Args:
        surrogate: The surrogate, as a mechanism's `surrogate(data)` returns it.
        columns: The number of columns of the data; without it, the first number that it takes.

    Returns:
        One check for each expectation.

    Example:
        >>> from mlaudit.attacks._surrogates import LogisticSurrogate
        >>> from mlaudit.types.dataset import Dataset
        >>> data = Dataset([[0.0, 1.0], [1.0, 0.5], [0.2, 0.1], [0.9, 0.7]], [0, 1, 0, 1])
        >>> surrogate = LogisticSurrogate.fit(data, 1.0, intercept=True)
        >>> [str(result) for result in check_surrogate(surrogate) if not result.passed]
        []
    """
    return [
        check("the Hessian is a symmetric matrix", lambda: _find_lopsided(surrogate)),
        check("the Hessian is positive definite", lambda: _find_flat(surrogate)),
        check("a row's gradient has a number for each parameter", lambda: _find_bad_gradient(surrogate, columns)),
        check("the two labels pull in opposite directions", lambda: _find_label_blind(surrogate, columns)),
        check("the same call gives the same numbers", lambda: _find_unrepeated(surrogate, columns)),
    ]


def _hessian(surrogate: Surrogate) -> FloatArray:
    with_methods("it", surrogate, "a surrogate", ["loss_gradient", "hessian"], "write both")
    return np.asarray(surrogate.hessian(), dtype=float)


def _find_lopsided(surrogate: Surrogate) -> str:
    hessian = _hessian(surrogate)
    if hessian.ndim != 2 or hessian.shape[0] != hessian.shape[1]:
        return f"its shape is {hessian.shape}; return a row and a column for each parameter"
    scale = np.abs(hessian).max()
    same = np.isfinite(scale) and np.abs(hessian - hessian.T).max() <= _SAME * scale
    return "" if same else "it differs from its transpose, or is not finite; return second derivatives"


def _find_flat(surrogate: Surrogate) -> str:
    lowest = float(np.linalg.eigvalsh(_hessian(surrogate)).min())
    return "" if lowest > 0 else f"its lowest eigenvalue is {measurement(lowest)}; add a penalty to every parameter"


def _find_bad_gradient(surrogate: Surrogate, columns: int | None) -> str:
    parameters = len(_hessian(surrogate))
    for x in _points(surrogate, columns):
        for label in (0, 1):
            gradient = np.asarray(surrogate.loss_gradient(x, label))
            if gradient.shape != (parameters,):
                return (
                    f"{parameters} parameters have a gradient of shape {gradient.shape}; return one number for each"
                )
            if not np.isfinite(gradient).all():
                return f"a gradient at label {label} is not finite; compute it from the logarithm of the loss"
    return ""


def _find_label_blind(surrogate: Surrogate, columns: int | None) -> str:
    for x in _points(surrogate, columns):
        zero, one = (np.asarray(surrogate.loss_gradient(x, label), dtype=float) for label in (0, 1))
        if zero @ one > 0:
            return "the gradients of labels 0 and 1 point the same way; compare the prediction with the label"
    return ""


def _find_unrepeated(surrogate: Surrogate, columns: int | None) -> str:
    x = _points(surrogate, columns)[0]
    same = np.array_equal(_hessian(surrogate), _hessian(surrogate))
    same = same and np.array_equal(surrogate.loss_gradient(x, 1), surrogate.loss_gradient(x, 1))
    return "" if same else "two calls differ; fit once, and keep the parameters"


def _points(surrogate: Surrogate, columns: int | None) -> FloatArray:
    """Random rows, a few of them far away; without a number of columns, the first that fits the Hessian."""
    if columns is not None:
        return _scatter(columns)
    accepted = [n for n in range(1, _MOST_COLUMNS + 1) if _gradient_size(surrogate, n)]
    if not accepted:
        raise InvalidInput(f"it must take rows of 1 to {_MOST_COLUMNS} columns, got none that it takes; give columns")
    fitting = [n for n in accepted if _gradient_size(surrogate, n) == len(_hessian(surrogate))]
    return _scatter((fitting or accepted)[0])


def _scatter(columns: int) -> FloatArray:
    scale = np.repeat([1.0, 100.0, 1e4], 4)
    return np.asarray(default_rng(0).normal(size=(12, columns)) * scale[:, None])


def _gradient_size(surrogate: Surrogate, columns: int) -> int:
    """How many numbers a gradient has at a row of so many columns; 0 if the surrogate does not take it."""
    try:
        return int(np.size(surrogate.loss_gradient(np.ones(columns), 1)))
    except Exception:  # noqa: BLE001 - another number of columns
        return 0
