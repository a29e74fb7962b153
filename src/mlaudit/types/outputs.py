"""Read the numbers of whatever a learner returns: the one place that decides which outputs are numbers."""

from decimal import Decimal
from math import nan
from numbers import Number
from typing import Any

import numpy as np

from mlaudit.types.arrays import AnyArray, FloatArray

# The same for scripts that stand alone. An output without numbers is an empty array there.
FLATTEN = """\
def flatten(output):  # a complex number is two numbers: its real and its imaginary part
    if hasattr(output, "columns"):
        output = {str(name): list(output[name]) for name in output.columns}
    if isinstance(output, dict):
        named = sorted(output.items(), key=lambda entry: str(entry[0]))
        return np.concatenate([*(flatten(one) for _, one in named), np.empty(0)])
    z = np.ravel(output)
    if z.dtype == object and all(isinstance(value, Number) for value in z):
        z = np.array([complex(value) if np.iscomplexobj(value) else float(value) for value in z])
    if z.dtype.kind == "c":
        z = z.astype(complex).view(float)
    return z.astype(float) if z.dtype.kind in "biuf" else np.empty(0)
"""
FLATTEN_IMPORT = "from numbers import Number"


def read_numbers(output: object) -> FloatArray | None:
    """Return the numbers of an output as floats, in its shape, or None if something in it is no number.

    A complex number is two numbers, its real and its imaginary part: the last axis becomes twice as long. Numbers of
    Python that numpy does not know, such as Decimal, are read as floats.

    Args:
        output: A number, or numbers in lists, tuples or an array.

    Returns:
        A fresh array, or None for text, None, other objects, and lists of unequal lengths.

    Example:
        >>> read_numbers([1 + 2j, 3]).tolist(), read_numbers(Decimal("0.5")).tolist()
        ([1.0, 2.0, 3.0, 0.0], 0.5)
        >>> read_numbers("seven") is None
        True
    """
    try:
        array = np.asarray(output)
        if array.dtype.kind == "O":
            array = _read_objects(array)
    except (TypeError, ValueError, OverflowError):
        return None
    if array.dtype.kind == "c":
        return np.array(array, dtype=complex, order="C", ndmin=1).view(float)
    return array.astype(float) if array.dtype.kind in "biuf" else None


def _read_objects(array: AnyArray) -> AnyArray:
    """The array with its objects as floats, or as complex numbers if one of them is complex."""
    values: list[Any] = array.ravel().tolist()
    if not all(isinstance(value, Number) for value in values):
        raise TypeError
    is_complex = any(np.iscomplexobj(value) for value in values)
    read = [complex(value) if np.iscomplexobj(value) else _read_real(value) for value in values]
    return np.array(read, dtype=complex if is_complex else float).reshape(array.shape)


def _read_real(value: Any) -> float:
    """The number as a float; Python refuses to make one of a Decimal's signalling NaN."""
    return nan if isinstance(value, Decimal) and value.is_snan() else float(value)
