"""Patches of the sources: of one thread, removed in any case, and never left in a module."""

import random
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from mlaudit import Claim, Dataset, Pair
from mlaudit.tracing.recorder import Recorder, follow_sources
from mlaudit.tracing.run import trace

PAIR = Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0]))


def sources() -> tuple[Any, ...]:
    return np.random.default_rng, np.random.Generator, np.random.laplace, random.gauss, random.Random.gauss


@pytest.mark.slow
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_patches_are_removed_after_any_exception(error: type[BaseException]) -> None:
    before, inside = sources(), []

    def fail() -> None:
        with follow_sources(Recorder()):
            inside.append(sources())
            raise error

    with pytest.raises(error):
        fail()
    assert inside[0] != before
    assert sources() == before


@pytest.mark.slow
def test_two_threads_trace_at_once_and_leave_no_patch() -> None:
    before, found = sources(), []

    def follow(scale: float) -> None:
        learner = lambda data, rng: data.X.sum() + rng.laplace(scale=scale)  # noqa: E731 - a learner is a function
        found.append((scale, trace(learner, pair=PAIR, claim=Claim(9.0), prove=False).transcript))

    threads = [threading.Thread(target=follow, args=(scale,)) for scale in (0.5, 1.0, 2.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [cost for _, cost in sorted(found)] == pytest.approx([2.0, 1.0, 0.5])
    assert sources() == before


@pytest.mark.slow
def test_noise_of_another_thread_is_not_followed() -> None:
    drawn: list[Any] = []

    def learner(data: Any, rng: Generator) -> Any:
        thread = threading.Thread(target=lambda: drawn.append(np.random.default_rng(0).laplace()))
        thread.start()
        thread.join()
        return data.X.sum() + rng.laplace()

    assert trace(learner, pair=PAIR, claim=Claim(9.0), prove=False).limit == pytest.approx(1.0)
    assert {type(one) for one in drawn} == {float}


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "imported_late.py").write_text("from numpy.random import default_rng\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield "imported_late"
    sys.modules.pop("imported_late", None)


@pytest.mark.slow
def test_a_module_that_a_followed_training_loads_keeps_no_patch(late: str) -> None:
    usual = np.random.default_rng

    def learner(data: Any, rng: Generator) -> Any:
        return data.X.sum() + __import__(late).default_rng(5).laplace()

    trace(learner, pair=PAIR, claim=Claim(9.0), prove=False)
    assert sys.modules[late].default_rng is usual


@pytest.mark.slow
def test_names_of_a_learner_that_no_module_holds_are_followed_and_restored() -> None:
    """A learner that was sent to another process has global names, and its module is not imported there."""
    names: dict[str, Any] = {"__name__": "sent", "default_rng": np.random.default_rng}
    source = "def learner(data, rng):\n    return float(data.X.sum() + default_rng(rng).laplace())\n"
    exec(compile(source, __file__, "exec"), names)
    before = dict(names)
    assert trace(names["learner"], pair=PAIR, claim=Claim(9.0), prove=False).limit == pytest.approx(1.0)
    assert names == before
