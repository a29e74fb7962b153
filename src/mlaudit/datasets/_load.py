"""Datasets by name: a shipped dataset, a file, or on the command line an object of the user's own."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

from mlaudit.datasets._prepare import prepare
from mlaudit.datasets._table import Table, read_columns, read_table
from mlaudit.datasets._typed import prepare_typed
from mlaudit.errors import InvalidInput
from mlaudit.naming.files import is_file
from mlaudit.naming.plugins import load as load_object
from mlaudit.naming.plugins import load_shipped
from mlaudit.types.checks import instance, path_of, text
from mlaudit.types.dataset import Dataset
from mlaudit.types.preparation import Preparation


def load(
    source: str | PathLike[str], *, target: str | None = None, preparation: Preparation | None = None
) -> Dataset:
    """Load a dataset to audit on: a published one by name, or a table from a file.

    Published datasets are read from the folder that MLAUDIT_DATA names, from the cache, or from OpenML, and their
    checksums are compared. `mlaudit list datasets` lists the names.

    Args:
        source: A name such as "iris", or the path of a .csv, .csv.gz or .parquet file with a header.
        target: The label column of a file. Default: its last column; none of a typed table.
        preparation: How the table becomes numbers: which rows, classes and columns are kept, and how they are scaled.
            Default: `Preparation()`.

    Returns:
        The rows as numbers with a label for each; classes as 0, 1, 2, …, or a number to be predicted. Its `card`
        states how the table was prepared.

    Raises:
        UnknownName: If no dataset has that name, or the file has no such column.
        InvalidInput: If the file cannot be read or prepared, or if a `target` is given for a published dataset.

    Example:
        >>> load("iris", preparation=Preparation(rows=20))
        Dataset(20 rows × 4 columns, labelled, 'iris')
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> rows = ["age,plan,visits", "30,basic,4", "41,pro,9", "52,pro,1"]
        >>> with TemporaryDirectory() as folder:
        ...     table = Path(folder) / "customers.csv"
        ...     table.write_text(chr(10).join(rows)) and load(table, target="plan")
        Dataset(3 rows × 2 columns, labelled, 'customers')
    """
    if preparation is None:
        return load_installed(source, target, Preparation())
    how = instance("preparation", preparation, Preparation)
    return load_installed(source, target, how, asked=("preparation",))


def load_installed(
    source: str | PathLike[str], target: str | None, how: Preparation, asked: Sequence[str] = ()
) -> Dataset:
    """A file, or a dataset that is installed, prepared; `asked` names the preparation that the user asked for.

    A Dataset is ready, and cannot be prepared: it is refused if the user asked for a preparation.
    """
    path, wanted = path_of("source", source), None if target is None else text("target", target)
    if is_file(path.name):
        if how.typed:
            return prepare_typed(path.name, read_columns(path), wanted, how)
        return prepare(read_table(path, wanted), how)
    name = str(source)
    if ":" in name:
        raise InvalidInput(f"source must be a name of `mlaudit list datasets` or a file, got {name!r}")
    if wanted is not None:
        raise InvalidInput(f"target names a column of a file, got the dataset {name!r}; leave target out")
    return _as_dataset(load_shipped("datasets", name), name, how, asked)


def load_data(
    source: str, target: str | None = None, how: Preparation | None = None, asked: Sequence[str] = ()
) -> Dataset:
    """What `--data` names: as `load`, or an object of the user's own code, which this imports."""
    if ":" in source and not is_file(source):
        if target is not None:
            raise InvalidInput(f"--target names a column of a file, got --data {source}; leave --target out")
        return _as_dataset(load_object("datasets", source), source, how or Preparation(), asked)
    return load_installed(source, target, how or Preparation(), asked)


def _as_dataset(found: Any, name: str, how: Preparation, asked: Sequence[str]) -> Dataset:
    made = found() if callable(found) else found
    if isinstance(made, Table):
        return prepare_typed(made.name, made.columns, None, how) if how.typed else prepare(made, how)
    if not isinstance(made, Dataset):
        raise InvalidInput(f"{name} must be a Dataset or a Table, or return one, got {type(made).__name__}")
    if asked:
        raise InvalidInput(
            f"{', '.join(asked)} prepare a table, got {name}, a Dataset that is taken as it is; leave them out"
        )
    return made
