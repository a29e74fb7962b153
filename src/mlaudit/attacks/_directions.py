"""The directions in which rows vary, with signs that do not depend on the machine."""

import numpy as np

from mlaudit.types.arrays import FloatArray

_TIE = 1e-6  # relative difference below which two components are equally large: which one is larger is then rounding


def principal_directions(X: FloatArray) -> FloatArray:
    """Return the unit directions of the rows' variance, the largest variance first, one in each row.

    A singular vector has no sign of its own: LAPACK returns either one. Here the first of its largest components is
    positive.

    >>> principal_directions(np.array([[3.0, 0.0], [-3.0, 0.0], [3.0, 0.2], [-3.0, 0.2]])).round(1).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    directions = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2]
    sizes = np.abs(directions)
    first = (sizes >= (1.0 - _TIE) * sizes.max(axis=1, keepdims=True)).argmax(axis=1)
    return np.asarray(directions * np.sign(directions[np.arange(len(directions)), first])[:, None]) + 0.0
