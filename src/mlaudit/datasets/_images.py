"""Published images of two classes: in MLAUDIT_DATA, in the cache, in a package of the system, or on OpenML."""

import gzip
import os
import warnings
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.random import default_rng

from mlaudit.datasets._published import cache_folder, data_folders
from mlaudit.errors import InvalidInput
from mlaudit.types.checks import whole
from mlaudit.types.dataset import Dataset

_LISTS = Path("/var/lib/dpkg/info")


@dataclass(frozen=True)
class Images:
    """Where classes 0 and 1 of a published set of images lie; `shape` is channels, height, width."""

    name: str
    file: str
    sha256: str
    openml_id: int
    train: int  # rows of OpenML's table that are the published training part
    class_counts: tuple[int, int]
    shape: tuple[int, int, int]
    package: str | None = None

    def dataset(self, rows: int = 1000, seed: int = 0) -> Dataset:
        """So many training images, drawn with the seed, in their published order; pixels are 0 … 255."""
        chosen = np.sort(self._order(seed)[: whole("rows", rows, 2)])
        return self._take(chosen)

    def held_out_rows(self, rows: int = 1000, used: int = 1000, seed: int = 0) -> Dataset:
        """Training images that are in no dataset of at most `used` rows with that seed."""
        return self._take(np.sort(self._order(seed)[used : used + whole("rows", rows, 2)]))

    def _order(self, seed: int) -> Any:
        return default_rng(seed).permutation(sum(self.class_counts))

    def _take(self, rows: Any) -> Dataset:
        x, y = _read_published(self)
        return Dataset(x[rows].reshape(len(rows), -1), y[rows].astype(np.int64), name=self.name)


@lru_cache(maxsize=2)
def _read_published(images: Images) -> tuple[Any, Any]:
    """The training images, channels first, and their labels."""
    for folder in data_folders():
        path = folder / images.file
        if path.is_file():
            return _move_channels_first(images, *_read_file(images, path))
    found = _read_from_system(images)
    if found is not None:
        return _keep_two_classes(images, *found)
    copy = cache_folder() / "openml" / images.file
    return (
        _read_copy(copy)
        if copy.is_file()
        else _keep_copy(copy, *_keep_two_classes(images, *_fetch_from_openml(images)))
    )


def _keep_two_classes(images: Images, x: Any, y: Any) -> tuple[Any, Any]:
    chosen = np.isin(y, (0, 1))
    counts = tuple(np.bincount(y[chosen], minlength=2).tolist())
    if counts != images.class_counts:
        raise InvalidInput(f"{images.name} must have classes of {images.class_counts} images, got {counts}")
    return x[chosen].reshape(-1, *images.shape), y[chosen]


def _keep_copy(path: Path, x: Any, y: Any) -> tuple[Any, Any]:
    """A copy of the two classes: OpenML's text of all ten takes a minute to read."""
    part = path.with_suffix(f".{os.getpid()}")
    with part.open("wb") as file:
        np.savez(file, x_train=x, y_train=y)
    part.replace(path)
    return x, y


def _read_copy(copy: Path) -> tuple[Any, Any]:
    """The copy that was kept; its own checksums tell whether it is whole."""
    try:
        with np.load(copy, allow_pickle=False) as arrays:
            return arrays["x_train"], arrays["y_train"]
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise InvalidInput(f"{copy} must be what was kept of a download, got: {error}; remove it") from error


def _read_file(images: Images, path: Path) -> tuple[Any, Any]:
    content = path.read_bytes()
    found = sha256(content).hexdigest()
    if found != images.sha256:
        raise InvalidInput(
            f"{path} must be the published file (sha256 {images.sha256[:12]}…), got {found[:12]}…; replace it"
        )
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return arrays["x_train"], arrays["y_train"]


def _move_channels_first(images: Images, x: Any, y: Any) -> tuple[Any, Any]:
    return (np.moveaxis(x, -1, 1) if x.ndim == 4 else x).reshape(-1, *images.shape), y


def _read_from_system(images: Images) -> tuple[Any, Any] | None:
    """The files of a Debian package, wherever it says that they lie."""
    listed = _LISTS / f"{images.package}.list"
    if images.package is None or not listed.is_file():
        return None
    paths = [Path(line) for line in listed.read_text(encoding="utf-8").split("\n")]
    found = {part: [p for p in paths if p.name.startswith(f"train-{part}-idx")] for part in ("images", "labels")}
    if not all(found.values()):
        return None
    x, y = (read_idx(found[part][0]) for part in ("images", "labels"))
    return x.reshape(len(x), -1), y


def read_idx(path: Path) -> Any:
    """An array in the IDX format of MNIST: two zeros, a type, the number of dimensions, their sizes, the bytes."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise InvalidInput(f"{path} must be an IDX file of bytes, got another beginning; install its package again")
    dimensions = content[3]
    sizes = np.frombuffer(content, ">u4", dimensions, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape([int(size) for size in sizes])


def _fetch_from_openml(images: Images) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_openml  # noqa: PLC0415 - only where a download is needed

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of every retry; what comes of them is told in one sentence
            found = fetch_openml(
                data_id=images.openml_id,
                data_home=str(cache_folder() / "openml"),
                as_frame=False,
                parser="liac-arff",
                n_retries=1,
            )
    except Exception as error:
        raise InvalidInput(
            f"{images.name} must be on this machine or on OpenML, got neither ({type(error).__name__}); put "
            f"{images.file} into the folder that MLAUDIT_DATA names, or into {cache_folder()}"
        ) from error
    x = np.asarray(found.data)[: images.train].astype(np.uint8)
    return x, np.asarray(found.target)[: images.train].astype(np.int64)
