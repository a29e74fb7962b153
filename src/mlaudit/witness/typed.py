"""The values of a typed table as Python code."""

import re
from collections.abc import Mapping

from mlaudit.types.arrays import AnyArray


def write_columns(columns: Mapping[str, AnyArray]) -> str:
    """A dict of arrays, of the types that a learner gets; np stands for numpy.

    >>> import numpy as np
    >>> write_columns({"age": np.array([31]), "income": np.array([np.nan]), "city": np.array(["nan"], dtype=object)})
    "{'age': np.array([31], dtype='int64'), 'income': np.array([np.nan], dtype='float64'), 'city': \
np.array(['nan'], dtype='object')}"
    """
    return f"{{{', '.join(f'{name!r}: {_write_array(values)}' for name, values in columns.items())}}}"


def _write_array(values: AnyArray) -> str:
    rows = repr(values.tolist())
    if values.dtype.kind == "f":
        rows = re.sub(r"\bnan\b", "np.nan", rows)
    return f"np.array({rows}, dtype={values.dtype.name!r})"
