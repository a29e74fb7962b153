"""A store is one file of drawing/stores: it is found by its name, and every store keeps what it was given."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.ranges import Range
from mlaudit.drawing.stream import TrainingStream
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.naming.plugins import load, load_shipped, names, shipped
from mlaudit.protocols import Store
from mlaudit.types.block import Block
from mlaudit.types.dataset import Dataset


def made(name: str, folder: Path) -> Store:
    """A store of that name; one that keeps a file gets a path."""
    kind: Any = load_shipped("stores", name)
    store: Store = kind(folder / f"{name}.store") if "path" in {part.name for part in fields(kind)} else kind()
    return store


def block(values: list[float]) -> Block:
    return Block(np.array(values)[:, None], np.ones(len(values), dtype=np.int64), np.full(len(values), ""))


def test_the_stores_that_are_shipped() -> None:
    assert {"memory", "sqlite"} <= set(shipped("stores")) <= set(names("stores"))


@pytest.mark.parametrize("name", shipped("stores"))
def test_a_store_returns_what_overlaps(name: str, tmp_path: Path) -> None:
    store = made(name, tmp_path)
    store.put("a", 0, block([1.0, 2.0]))
    store.put("a", 2, block([3.0]))
    store.put("b", 0, block([9.0]))
    found = {start: kept.z.ravel().tolist() for start, kept in store.read("a", 1, 3)}
    assert found == {0: [1.0, 2.0], 2: [3.0]}
    assert [start for start, _ in store.read("a", 2, 3)] == [2]
    assert list(store.read("a", 3, 9)) == []


@pytest.mark.parametrize("name", shipped("stores"))
def test_the_loop_restores_from_every_store(name: str, tmp_path: Path) -> None:
    stream, whole = TrainingStream(Laplace(1.0), Dataset([0.0]), None, 0), Range(0, 0, 10)
    loop = DrawingLoop(load("engines", "in_process")(), made(name, tmp_path))
    (drawn,) = loop.draw([stream], [whole], [whole])
    (restored,) = loop.restore([stream], [whole])
    np.testing.assert_array_equal(restored[0].z, drawn.block.z)
