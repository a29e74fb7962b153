"""Any data that is named: a shipped dataset, a file, or an object of the user's own."""

from collections.abc import Sequence
from pathlib import Path

from mlaudit.datasets._prepare import Preparation, prepare
from mlaudit.datasets._table import Table, read_table
from mlaudit.errors import InvalidInput
from mlaudit.plugins import load
from mlaudit.types.dataset import Dataset

_FILES = (".csv", ".csv.gz", ".parquet")


def load_data(
    text: str, target: str | None = None, how: Preparation | None = None, asked: Sequence[str] = ()
) -> Dataset:
    """A prepared dataset; `asked` names what a user wants done to it, which cannot be done to a ready one.

    >>> load_data("iris")
    Dataset(100 rows × 4 columns, labelled, 'iris')
    """
    if text.endswith(_FILES):
        return prepare(read_table(Path(text), target), how or Preparation())
    if target is not None:
        raise InvalidInput(f"--target names a column of a file, got --data {text}; leave --target out")
    found = load("datasets", text)
    made = found() if callable(found) else found
    if isinstance(made, Table):
        return prepare(made, how or Preparation())
    if not isinstance(made, Dataset):
        raise InvalidInput(f"{text} must be a Dataset or a Table, or return one, got {type(made).__name__}")
    if asked:
        raise InvalidInput(
            f"{', '.join(asked)} prepare a table, got {text}, a Dataset that is taken as it is; leave them out"
        )
    return made
