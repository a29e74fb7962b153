"""A typed table as a DataFrame of pandas."""

from collections.abc import Mapping
from typing import Any

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray

FRAME = "__import__('pandas').DataFrame(X, copy=True)"  # the same in a script, where X is a dict of arrays


def make_frame(columns: Mapping[str, AnyArray]) -> Any:
    """A DataFrame with the values as they are: texts and columns that may miss values are of the type `object`.

    The type of a column depends on its declaration alone, so that a learner which shows types does not leak through
    ours. Categories are objects as well: a categorical type would carry the legal values, which a file does not.

    Raises:
        InvalidInput: If pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidInput(
            "data.frame() needs pandas, got none; install it with: pip install pandas, or read data.columns"
        ) from None
    made = {name: pd.Series(values, dtype=values.dtype) for name, values in columns.items()}
    return pd.DataFrame(made, copy=True)
