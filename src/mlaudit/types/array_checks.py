"""Checks of arrays: whatever a user hands over becomes an array of numbers, or one sentence."""

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, FloatArray, IntArray
from mlaudit.types.checks import quote

_LARGEST = 2**63
_BYTES = (bytes, bytearray, memoryview)  # numpy would take them for small numbers


def numbers(name: str, value: object, remedy: str = "give a list or an array of numbers") -> FloatArray:
    """A fresh array of floats, of any shape; text, dates and complex numbers are none.

    >>> numbers("low", [0, 1])
    array([0., 1.])
    >>> numbers("low", [1j])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: low must be numbers, got [1j]; give a list or an array of numbers
    """
    try:
        found = np.asarray(value)
        if found.dtype.kind not in "biufO" or isinstance(value, _BYTES):
            raise TypeError
        return found.astype(float)
    except Exception:  # noqa: BLE001 - ragged lists, objects with an __array__ of their own
        raise InvalidInput(f"{name} must be numbers, got {quote(value)}; {remedy}") from None


def whole_numbers(name: str, value: object) -> IntArray:
    """A fresh array of whole numbers, of any shape.

    >>> whole_numbers("index", [0.5])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: index must be whole numbers, got [0.5]
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return value.astype(np.int64)
    found = numbers(name, value, "give a list or an array of whole numbers")
    if not (np.isfinite(found).all() and (found == np.rint(found)).all() and (np.abs(found) < _LARGEST).all()):
        raise InvalidInput(f"{name} must be whole numbers, got {quote(value)}")
    return np.asarray(value).astype(np.int64)


def plain_array(name: str, value: object) -> AnyArray:
    """A fresh array of whatever the values are, unless they do not make one.

    >>> plain_array("y", [[1], [1, 2]])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: y must be a flat list or array, got [[1], [1, 2]]
    """
    try:
        if isinstance(value, _BYTES):
            raise TypeError
        return np.array(value)
    except Exception:  # noqa: BLE001 - ragged lists, objects with an __array__ of their own
        raise InvalidInput(f"{name} must be a flat list or array, got {quote(value)}") from None
