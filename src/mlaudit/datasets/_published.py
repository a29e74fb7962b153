"""Published files: looked for in MLAUDIT_DATA, then in the cache, then asked of OpenML; checked when found."""

import os
import warnings
from dataclasses import dataclass
from hashlib import sha256
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.datasets._table import Table, read_table
from mlaudit.errors import InvalidInput


@dataclass(frozen=True)
class Published:
    """A dataset's file, what it must hash to, and what OpenML calls it."""

    name: str
    file: str
    sha256: str
    openml_id: int
    class_counts: tuple[int, ...]
    categorical: tuple[str, ...] = ()

    def table(self) -> Table:
        """The raw table, from wherever it is found first."""
        for folder in data_folders():
            path = folder / self.file
            if path.is_file():
                return self._read(path)
        return self._fetch_from_openml()

    def _read(self, path: Path) -> Table:
        found = sha256(path.read_bytes()).hexdigest()
        if found != self.sha256:
            raise InvalidInput(
                f"{path} must be the published file (sha256 {self.sha256[:12]}…), got {found[:12]}…; replace it"
            )
        table = read_table(path, categorical=self.categorical)
        return Table(self.name, table.columns, table.target, table.categorical, published=True)

    def _fetch_from_openml(self) -> Table:
        home = cache_folder() / "openml"
        try:
            columns, target = _fetch(self.openml_id, home)
        except Exception as error:
            raise InvalidInput(
                f"{self.name} must be on this machine or on OpenML, got neither ({type(error).__name__}); put "
                f"{self.file} into the folder that MLAUDIT_DATA names, or into {cache_folder()}"
            ) from error
        table = Table(self.name, columns, target, self.categorical, published=True)
        counts = tuple(sorted(np.unique(columns[target], return_counts=True)[1].tolist()))
        if counts != tuple(sorted(self.class_counts)):
            raise InvalidInput(f"{self.name} must have classes of {self.class_counts} rows, got {counts} from OpenML")
        return table


def cache_folder() -> Path:
    """Where downloads are kept: MLAUDIT_CACHE, or mlaudit in the user's cache folder."""
    given = os.environ.get("MLAUDIT_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(given) if given else (Path(base) if base else Path.home() / ".cache") / "mlaudit"


def data_folders() -> list[Path]:
    """Where files are looked for, in this order."""
    given = os.environ.get("MLAUDIT_DATA")
    return [*([Path(given)] if given else []), cache_folder()]


def _fetch(openml_id: int, home: Path) -> tuple[dict[str, Any], str]:
    """Download with scikit-learn, which caches the file and checks OpenML's own checksum."""
    from sklearn.datasets import fetch_openml  # noqa: PLC0415 - only where a download is needed

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every retry; what comes of them is told in one sentence
        bunch = fetch_openml(data_id=openml_id, data_home=str(home), as_frame=False, parser="liac-arff", n_retries=1)
    target = str(np.ravel(bunch.target_names)[0])
    columns = {name: _decode(bunch, i, name) for i, name in enumerate(bunch.feature_names)}
    return {**columns, target: np.asarray(bunch.target).astype(np.str_)}, target


def _decode(bunch: Any, i: int, name: str) -> Any:
    """Nominal columns come as codes: their names back, missing values as empty text."""
    values, names = bunch.data[:, i], (bunch.categories or {}).get(name)
    missing = np.array([v is None or (isinstance(v, float) and isnan(v)) for v in values])
    plain = np.where(missing, 0, values)
    texts = [str(names[int(v)]) if names else repr(float(v)) for v in plain]
    return np.where(missing, "", np.array(texts))
