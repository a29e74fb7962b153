"""Published images: the right files and no others, from a folder, a package of the system, or OpenML."""

import gzip
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from openml_server import OpenML, answered_by, asked_instead, nothing_at_hand

from mlaudit.datasets import _images
from mlaudit.datasets._images import Images, read_idx
from mlaudit.datasets._load import load_data
from mlaudit.datasets.cifar10 import SOURCE as CIFAR10
from mlaudit.datasets.fashion_mnist import SOURCE as FASHION_MNIST
from mlaudit.errors import InvalidInput
from mlaudit.types.dataset import Dataset

NEEDS_FILES = pytest.mark.skipif(not os.environ.get("MLAUDIT_DATA"), reason="MLAUDIT_DATA names no folder")
PIXELS = np.random.default_rng(0).integers(0, 256, (9, 2, 2), dtype=np.uint8)
CLASSES = np.array([0, 1, 2, 0, 1, 5, 0, 1, 0], dtype=np.uint8)
SMALL = Images("small", "small.npz", "0" * 64, 77, 9, (4, 3), (1, 2, 2), "dataset-small")


@NEEDS_FILES
@pytest.mark.parametrize(("source", "pixels"), [(FASHION_MNIST, 784), (CIFAR10, 3072)])
@pytest.mark.slow
def test_a_thousand_images_of_two_classes(source: Images, pixels: int) -> None:
    data, others = load_data(source.name), source.held_out_rows()
    assert data.X.shape == others.X.shape == (1000, pixels)
    assert (data.X.min(), data.X.max(), data.name) == (0.0, 255.0, source.name)
    assert 450 < np.asarray(data.y).sum() < 550
    assert not {x.tobytes() for x in data.X} & {x.tobytes() for x in others.X}


@pytest.mark.parametrize(("source", "pixels"), [(FASHION_MNIST, 784), (CIFAR10, 3072)])
def test_probes_are_images_that_no_dataset_has(source: Images, pixels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opacus")
    from mlaudit.mechanisms.dp_sgd import DpSgd

    size = sum(source.class_counts)
    images = np.random.default_rng(1).integers(0, 256, (size, *source.shape), dtype=np.uint8), np.arange(size) % 2
    learner, x = DpSgd(probes=8, pixels=(0.0, 255.0)), np.zeros(pixels)
    with monkeypatch.context() as patch:
        patch.setattr(_images, "_read_published", lambda asked: images)
        data = source.dataset()
        points = learner.view(data).points(x)
    assert points.shape == (10, pixels)  # x*, a blank image, and the probes
    rows = {row.tobytes() for row in np.asarray(data.X, points.dtype)}
    assert not rows & {row.tobytes() for row in points[2:]}


@pytest.mark.slow
@NEEDS_FILES
def test_colours_come_first() -> None:
    with np.load(Path(os.environ["MLAUDIT_DATA"]) / CIFAR10.file) as arrays:
        published = arrays["x_train"]
    rows = np.sort(np.random.default_rng(0).permutation(10_000)[:1000])
    shown = load_data("cifar10").X.reshape(-1, 3, 32, 32)
    assert (shown[7, 2] == published[rows[7], :, :, 2]).all()


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return nothing_at_hand(tmp_path / "cache", monkeypatch)


@pytest.fixture(autouse=True)
def unpackaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No package of the system, and nothing that was loaded before."""
    monkeypatch.setattr(_images, "_LISTS", tmp_path)
    _images._read_published.cache_clear()
    yield
    _images._read_published.cache_clear()


def idx_file(path: Path, array: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str:
    sizes = np.array(array.shape, dtype=">u4").tobytes()
    path.write_bytes(gzip.compress(bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()))
    return str(path)


@pytest.mark.usefixtures("nowhere")
def test_a_package_of_the_system_is_found_by_its_list(tmp_path: Path) -> None:
    names = [
        idx_file(tmp_path / "train-images-idx3-ubyte.gz", PIXELS),
        idx_file(tmp_path / "train-labels-idx1-ubyte.gz", CLASSES),
    ]
    (tmp_path / "dataset-small.list").write_text("\n".join(["/.", *names]), encoding="utf-8")
    data = SMALL.dataset(rows=7)
    assert np.asarray(data.y).tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert (PIXELS[CLASSES < 2].reshape(7, 4) == data.X).all()
    _images._read_published.cache_clear()
    with pytest.raises(InvalidInput, match=r"must have classes of \(4, 4\) images, got \(4, 3\)"):
        replace(SMALL, class_counts=(4, 4)).dataset(rows=4)


def test_files_that_are_something_else_are_refused(nowhere: Path, tmp_path: Path) -> None:
    nowhere.mkdir()
    (nowhere / "small.npz").write_bytes(b"nothing")
    with pytest.raises(InvalidInput, match=r"small\.npz must be the published file \(sha256 000000000000…\), got"):
        SMALL.dataset()
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"text"))
    with pytest.raises(InvalidInput, match="must be an IDX file of bytes"):
        read_idx(tmp_path / "x.gz")


COLUMNS = [f"pixel{i}" for i in range(4)]
TEST_PART = np.full((1, 4), 7)  # behind the training images, as on OpenML


def arff(classes: list[int]) -> str:
    head = ["@relation small", *(f"@attribute {name} integer" for name in COLUMNS), "@attribute class {0,1,2,5}"]
    rows = np.column_stack([np.vstack([PIXELS.reshape(9, 4), TEST_PART]), [*classes, 0]])
    return "\n".join([*head, "@data", *(",".join(map(str, row)) for row in rows.tolist())]) + "\n"


@pytest.fixture
def openml(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenML]:
    kinds = {**dict.fromkeys(COLUMNS, "numeric"), "class": "nominal"}
    with asked_instead(OpenML("small", arff(CLASSES.tolist()), kinds), monkeypatch) as server:
        yield server


def loaded(source: Images = SMALL) -> Dataset:
    """As by a process that has loaded nothing yet."""
    _images._read_published.cache_clear()
    return source.dataset(rows=7)


def test_images_come_from_openml_and_the_test_part_stays_there(openml: OpenML) -> None:
    data = loaded()
    assert np.asarray(data.y).tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert (PIXELS[CLASSES < 2].reshape(7, 4) == data.X).all()
    assert openml.asked.count(openml.file) == 1


def test_the_second_load_asks_nobody_and_reads_the_copy(openml: OpenML, nowhere: Path) -> None:
    first, asked = loaded(), list(openml.asked)
    for path in nowhere.rglob("*.arff*"):
        path.unlink()
    assert loaded().digest == first.digest
    assert openml.asked == asked
    copy = nowhere / "openml" / "small.npz"
    content = bytearray(copy.read_bytes())
    content[content.index(PIXELS[0].tobytes())] ^= 0xFF
    copy.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"small\.npz must be what was kept of a download, got: .*; remove it"):
        loaded()
    copy.unlink()
    assert loaded().digest == first.digest


def test_a_download_with_another_checksum_is_refused_and_not_kept(openml: OpenML, nowhere: Path) -> None:
    openml.checksum = "0" * 32
    with pytest.raises(
        InvalidInput, match=r"^small must be on this machine or on OpenML, got neither \(ValueError\)"
    ):
        loaded()
    assert not list(nowhere.rglob("*.npz"))


def test_other_images_under_the_same_number_are_refused_and_not_kept(openml: OpenML, nowhere: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        loaded(replace(SMALL, class_counts=(4, 4)))
    assert str(caught.value) == "small must have classes of (4, 4) images, got (4, 3)"
    assert not list(nowhere.rglob("*.npz"))


def test_offline_is_told_in_one_sentence(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenML("small", "", {}) as gone:
        address = gone.address
    answered_by(address, monkeypatch)  # nobody listens there any more
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(InvalidInput) as caught:
        loaded()
    assert str(caught.value) == (
        "small must be on this machine or on OpenML, got neither (URLError); put small.npz into the folder that "
        f"MLAUDIT_DATA names, or into {nowhere}"
    )
