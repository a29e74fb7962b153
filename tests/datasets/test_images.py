"""Published images: the right files and no others, from a folder or from a package of the system."""

import gzip
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mlaudit.datasets import _images
from mlaudit.datasets._images import Images, idx
from mlaudit.datasets._load import load_data
from mlaudit.datasets.cifar10 import SOURCE as CIFAR10
from mlaudit.datasets.fashion_mnist import SOURCE as FASHION_MNIST
from mlaudit.errors import InvalidInput

NEEDS_FILES = pytest.mark.skipif(not os.environ.get("MLAUDIT_DATA"), reason="MLAUDIT_DATA names no folder")
PIXELS = np.random.default_rng(0).integers(0, 256, (9, 2, 2), dtype=np.uint8)
CLASSES = np.array([0, 1, 2, 0, 1, 5, 0, 1, 0], dtype=np.uint8)
SMALL = Images("small", "small.npz", "0" * 64, 77, 9, (4, 3), (1, 2, 2), "dataset-small")


@NEEDS_FILES
@pytest.mark.parametrize(("source", "pixels"), [(FASHION_MNIST, 784), (CIFAR10, 3072)])
def test_a_thousand_images_of_two_classes(source: Images, pixels: int) -> None:
    data, others = load_data(source.name), source.held_out()
    assert data.X.shape == others.X.shape == (1000, pixels)
    assert (data.X.min(), data.X.max(), data.name) == (0.0, 255.0, source.name)
    assert 450 < np.asarray(data.y).sum() < 550
    assert not {x.tobytes() for x in data.X} & {x.tobytes() for x in others.X}


@NEEDS_FILES
def test_colours_come_first() -> None:
    with np.load(Path(os.environ["MLAUDIT_DATA"]) / CIFAR10.file) as arrays:
        published = arrays["x_train"]
    rows = np.sort(np.random.default_rng(0).permutation(10_000)[:1000])
    shown = load_data("cifar10").X.reshape(-1, 3, 32, 32)
    assert (shown[7, 2] == published[rows[7], :, :, 2]).all()


def nowhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLAUDIT_DATA", str(folder / "none"))
    monkeypatch.setenv("MLAUDIT_CACHE", str(folder / "cache"))
    monkeypatch.setattr(_images, "_LISTS", folder)
    _images._published.cache_clear()


def idx_file(path: Path, array: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str:
    sizes = np.array(array.shape, dtype=">u4").tobytes()
    path.write_bytes(gzip.compress(bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()))
    return str(path)


def test_a_package_of_the_system_is_found_by_its_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere(tmp_path, monkeypatch)
    names = [
        idx_file(tmp_path / "train-images-idx3-ubyte.gz", PIXELS),
        idx_file(tmp_path / "train-labels-idx1-ubyte.gz", CLASSES),
    ]
    (tmp_path / "dataset-small.list").write_text("\n".join(["/.", *names]), encoding="utf-8")
    data = SMALL.dataset(rows=7)
    assert np.asarray(data.y).tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert (PIXELS[CLASSES < 2].reshape(7, 4) == data.X).all()
    _images._published.cache_clear()
    with pytest.raises(InvalidInput, match=r"must have classes of \(4, 4\) images, got \(4, 3\)"):
        replace(SMALL, class_counts=(4, 4)).dataset(rows=4)


def test_files_that_are_something_else_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere(tmp_path, monkeypatch)
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "small.npz").write_bytes(b"nothing")
    with pytest.raises(InvalidInput, match=r"small\.npz must be the published file \(sha256 000000000000…\), got"):
        SMALL.dataset()
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"text"))
    with pytest.raises(InvalidInput, match="must be an IDX file of bytes"):
        idx(tmp_path / "x.gz")
